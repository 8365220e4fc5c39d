// What is said of the spot that is pointed at.
import type {Spot} from '../plot/pieces.ts';

const GAP = 12;

export class Tip {
	readonly #figure: HTMLElement;
	readonly #box = document.createElement('div');

	constructor(figure: HTMLElement) {
		this.#figure = figure;
		this.#box.className = 'tip';
		this.#box.hidden = true;
		this.#box.setAttribute('role', 'status');
		figure.append(this.#box);
	}

	/** Above the place `[x, y]` of the figure, or below where there is no room; within the figure. */
	show({name, lines}: Spot, [x, y]: readonly [number, number]): void {
		const title = document.createElement('b');
		title.textContent = name;
		this.#box.replaceChildren(
			title,
			...lines.map(words => {
				const line = document.createElement('span');
				line.textContent = words;
				return line;
			}),
		);
		this.#box.hidden = false;
		const {offsetWidth: width, offsetHeight: height} = this.#box;
		const left = Math.max(0, Math.min(this.#figure.clientWidth - width, x - width / 2));
		const above = y - height - GAP;
		this.#box.style.left = `${left}px`;
		this.#box.style.top = `${above < 0 ? y + GAP : above}px`;
	}

	hide(): void {
		this.#box.hidden = true;
	}
}
