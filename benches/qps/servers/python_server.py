"""The request loop shared by the servers in Python: one line of JSON per request, one per reply."""

import json
import os
import sys


def answer(reply_to):
    """Answers requests until the input ends.

    `reply_to` takes a request and returns the reply. If it raises an exception, the reply is `{"error": message}`.
    """
    # Libraries, even those in C++, may print to stdout (file descriptor 1). Replies are therefore written to a copy of the
    # original stdout, and file descriptor 1 becomes a copy of stderr, so that such output does not mix with the replies.
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for line in sys.stdin:
        try:
            reply = reply_to(json.loads(line))
        except Exception as error:
            reply = {"error": f"{type(error).__name__}: {error}"[:1000]}
        print(json.dumps(reply), file=replies, flush=True)
