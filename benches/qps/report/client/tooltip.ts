// The tooltip of a chart on the report page.
import type {Spot} from '../plot/pieces.ts';

/** The distance between a point and its tooltip, in pixels. */
const GAP = 12;

/** A box in a chart's figure, which shows the tooltip of one point at a time. */
export class Tooltip {
	readonly #figure: HTMLElement;
	readonly #box = document.createElement('div');

	constructor(figure: HTMLElement) {
		this.#figure = figure;
		this.#box.className = 'tip';
		this.#box.hidden = true;
		this.#box.setAttribute('role', 'status');
		figure.append(this.#box);
	}

	/**
	Shows the tooltip of a point at `[x, y]` of the figure: above the point, or below it if there is no room above. The
	tooltip does not extend beyond the left edge of the figure, nor beyond the right edge if it fits in the figure.
	*/
	show({name, lines}: Spot, [x, y]: readonly [number, number]): void {
		const title = document.createElement('b');
		title.textContent = name;
		this.#box.replaceChildren(
			title,
			...lines.map(line => {
				const element = document.createElement('span');
				element.textContent = line;
				return element;
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
