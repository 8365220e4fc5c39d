// The button that switches between the light theme, the dark theme, and the theme of the operating system (`auto`).

const THEMES = ['auto', 'light', 'dark'] as const;
const KEY = 'passagekit-theme';

/** Adds a button to an element. Each click selects the next theme; the choice is stored in the browser. */
export function addThemeButton(parent: Element): void {
	const button = document.createElement('button');
	button.type = 'button';
	button.className = 'theme';
	let at = Math.max(0, (THEMES as readonly string[]).indexOf(storedTheme() ?? ''));
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
		storeTheme(THEMES[at]!);
	});
	show();
	parent.append(button);
}

/**
Returns the stored theme. Returns null if none is stored, or if the browser does not let a page that was opened from a
file use storage.
*/
function storedTheme(): string | null {
	try {
		return localStorage.getItem(KEY);
	} catch {
		return null;
	}
}

function storeTheme(theme: string): void {
	try {
		localStorage.setItem(KEY, theme);
	} catch {
		// Without storage, the choice lasts until the page is closed.
	}
}
