"""What the servers in Python have in common: one JSON reply a line for one JSON request a line."""

import json
import os
import sys


def answer(reply_to):
    """Answers by `reply_to`, a function of a request, until the input ends. What it raises is an error's reply."""
    # What libraries print, those in C++ as well, must not get among the replies.
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for line in sys.stdin:
        try:
            reply = reply_to(json.loads(line))
        except Exception as error:
            reply = {"error": f"{type(error).__name__}: {error}"[:1000]}
        print(json.dumps(reply), file=replies, flush=True)
