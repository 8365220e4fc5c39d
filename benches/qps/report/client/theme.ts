// Light, dark, or as the reader's screen is.

const THEMES = ['auto', 'light', 'dark'] as const;
const KEY = 'passagekit-theme';

/** Adds a button to `place` that goes through the themes. */
export function themed(place: Element): void {
	const button = document.createElement('button');
	button.type = 'button';
	button.className = 'theme';
	let at = Math.max(0, (THEMES as readonly string[]).indexOf(kept() ?? ''));
	const show = (): void => {
		const theme = THEMES[at]!;
		button.textContent = `Theme: ${theme}`;
		if (theme === 'auto') {
			delete document.documentElement.dataset['theme'];
		} else {
			document.documentElement.dataset['theme'] = theme;
		}
	};
	button.addEventListener('click', () => {
		at = (at + 1) % THEMES.length;
		show();
		keep(THEMES[at]!);
	});
	show();
	place.append(button);
}

/** Pages of files may not be allowed to keep anything. */
function kept(): string | null {
	try {
		return localStorage.getItem(KEY);
	} catch {
		return null;
	}
}

function keep(theme: string): void {
	try {
		localStorage.setItem(KEY, theme);
	} catch {
		// It holds for this visit.
	}
}
