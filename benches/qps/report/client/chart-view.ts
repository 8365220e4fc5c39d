// A chart on the report page: draws the chart, shows tooltips by pointer and keyboard, and saves the chart as SVG.
import {type Chart, draw, titleOf} from '../plot/chart.ts';
import {type Spot, type View, svg} from '../plot/pieces.ts';
import {standaloneSvg} from '../plot/standalone-svg.ts';
import {Tooltip} from './tooltip.ts';

/** In charts of curves, a tooltip is shown if the pointer is at most this far from a point, in pixels. */
const MAX_DISTANCE = 40;
/** The minimum width of a chart, in pixels. */
const MIN_WIDTH = 280;
/** The width of a saved chart, in pixels. */
const SAVED_WIDTH = 640;

/** Controls one chart of the page. */
export class ChartView {
	readonly #figure: HTMLElement;
	readonly #chart: Chart;
	readonly #drawing: HTMLElement;
	readonly #tooltip: Tooltip;
	readonly #name: string;
	#shown: Omit<View, 'width'> = {k: '', by: 'wall', hidden: new Set()};
	#spots: readonly Spot[] = [];
	/** The point whose tooltip is shown. */
	#current: Spot | undefined;

	/** `name` is the name of the record, with which the names of saved files start. */
	constructor(figure: HTMLElement, chart: Chart, name: string) {
		this.#figure = figure;
		this.#chart = chart;
		this.#name = name;
		this.#drawing = figure.querySelector('.drawing')!;
		this.#tooltip = new Tooltip(figure);
		this.#drawing.tabIndex = 0;
		this.#drawing.setAttribute('role', 'group');
		this.#drawing.setAttribute('aria-roledescription', 'chart; arrow keys go from point to point');
		this.#drawing.addEventListener('pointermove', event => this.#pointAt(event));
		this.#drawing.addEventListener('pointerdown', event => this.#pointAt(event));
		this.#drawing.addEventListener('pointerleave', event => {
			// On a touch screen, the tooltip stays when the finger is lifted.
			if (event.pointerType === 'mouse') {
				this.#select(undefined);
			}
		});
		this.#drawing.addEventListener('keydown', event => this.#step(event));
		this.#drawing.addEventListener('blur', () => this.#select(undefined));
		const save = document.createElement('button');
		save.type = 'button';
		save.className = 'save';
		save.textContent = 'Save SVG';
		save.addEventListener('click', () => this.#save());
		figure.querySelector('figcaption')!.append(save);
	}

	/** Turns the entries of the legend, if there is one, into buttons that hide and show their curves. */
	activateLegend(toggle: (name: string) => void): void {
		for (const item of this.#figure.querySelectorAll<HTMLElement>('.legend span[data-entry]')) {
			const {name} = this.#chart.entries[Number(item.dataset['entry'])]!;
			const button = document.createElement('button');
			button.type = 'button';
			button.className = item.className;
			button.setAttribute('aria-pressed', 'true');
			button.append(...item.childNodes);
			item.replaceWith(button);
			button.addEventListener('click', () => {
				button.setAttribute('aria-pressed', String(button.getAttribute('aria-pressed') === 'false'));
				toggle(name);
			});
			const entry = Number(item.dataset['entry']);
			button.addEventListener('pointerenter', () => this.#highlight(entry));
			button.addEventListener('pointerleave', () => this.#highlight(undefined));
			button.addEventListener('focus', () => this.#highlight(entry));
			button.addEventListener('blur', () => this.#highlight(undefined));
		}
	}

	/** Draws the chart at the width of the figure. */
	show(view: Omit<View, 'width'>): void {
		this.#shown = view;
		const title = titleOf(this.#chart, view);
		const drawn = draw(this.#chart, {...view, width: Math.max(MIN_WIDTH, Math.floor(this.#figure.clientWidth))});
		this.#figure.querySelector('h3')!.textContent = title;
		this.#drawing.setAttribute('aria-label', title);
		this.#drawing.innerHTML = svg(drawn, title);
		// Removes the browser's own tooltips, which would cover ours.
		for (const element of this.#drawing.querySelectorAll('title')) {
			element.remove();
		}
		this.#spots = drawn.spots;
		this.#select(undefined);
	}

	/** Selects the point nearest to the pointer, unless it is too far away. */
	#pointAt({clientX, clientY}: PointerEvent): void {
		const box = this.#svg.getBoundingClientRect();
		const scale = box.width / this.#svg.viewBox.baseVal.width;
		const [x, y] = [(clientX - box.left) / scale, (clientY - box.top) / scale];
		const isCurves = this.#chart.kind === 'curves';
		const maxDistance = isCurves ? MAX_DISTANCE : Number.POSITIVE_INFINITY;
		// Charts with rows select the row at the pointer's height, so horizontal distances hardly count.
		const xWeight = isCurves ? 1 : 0.05;
		const distance = (spot: Spot): number => Math.hypot((spot.x - x) * xWeight, spot.y - y);
		const nearest = this.#spots.toSorted((a, b) => distance(a) - distance(b))[0];
		this.#select(nearest && distance(nearest) <= maxDistance ? nearest : undefined);
	}

	/**
	Handles keys: left and right move along the points of an entry, up and down move to the previous or the next entry,
	Escape hides the tooltip.
	*/
	#step(event: KeyboardEvent): void {
		const steps: Readonly<Record<string, readonly [along: number, across: number]>> = {
			ArrowLeft: [-1, 0],
			ArrowRight: [1, 0],
			ArrowUp: [0, -1],
			ArrowDown: [0, 1],
		};
		const step = steps[event.key];
		if (event.key === 'Escape') {
			this.#select(undefined);
		}
		if (!step || this.#spots.length === 0) {
			return;
		}
		event.preventDefault();
		const current = this.#current;
		if (!current) {
			this.#select(this.#spots.find(({entry}) => entry === Math.min(...this.#spots.map(spot => spot.entry))));
			return;
		}
		const own = this.#spots.filter(({entry}) => entry === current.entry);
		if (step[0] !== 0) {
			this.#select(own[Math.min(own.length - 1, Math.max(0, own.indexOf(current) + step[0]))]);
			return;
		}
		const order = [...new Set(this.#entriesInOrder())];
		const next = order[Math.min(order.length - 1, Math.max(0, order.indexOf(current.entry) + step[1]))]!;
		const place = own.indexOf(current);
		const others = this.#spots.filter(({entry}) => entry === next);
		this.#select(others[Math.min(place, others.length - 1)]);
	}

	/** Returns the entry of each point, in the order on the screen: for curves that of the legend, for rows from top to bottom. */
	#entriesInOrder(): readonly number[] {
		const entries = this.#spots.map(({entry}) => entry);
		return this.#chart.kind === 'curves' ? entries.toSorted((a, b) => a - b) : entries;
	}

	/** Shows the tooltip of a point, puts a ring around the point, and highlights its entry. Undefined hides all of these. */
	#select(spot: Spot | undefined): void {
		this.#current = spot;
		this.#highlight(spot?.entry);
		this.#svg.querySelector('.ring')?.remove();
		if (!spot) {
			this.#tooltip.hide();
			return;
		}
		const ring = document.createElementNS('http://www.w3.org/2000/svg', 'circle');
		ring.setAttribute('class', 'ring');
		ring.setAttribute('cx', String(spot.x));
		ring.setAttribute('cy', String(spot.y));
		ring.setAttribute('r', '7');
		this.#svg.append(ring);
		const scale = this.#svg.getBoundingClientRect().width / this.#svg.viewBox.baseVal.width;
		this.#tooltip.show(spot, [spot.x * scale + this.#drawing.offsetLeft, spot.y * scale + this.#drawing.offsetTop]);
	}

	/** Dims all entries except `entry`. Dims none if `entry` is undefined. */
	#highlight(entry: number | undefined): void {
		this.#svg.classList.toggle('lit', entry !== undefined && this.#svg.querySelector(`[data-entry="${entry}"]`) !== null);
		for (const group of this.#svg.querySelectorAll<SVGGElement>('.entry')) {
			group.classList.toggle('lit', group.dataset['entry'] === String(entry));
		}
	}

	get #svg(): SVGSVGElement {
		return this.#drawing.querySelector('svg')!;
	}

	/** Downloads the chart as shown, on a white background. */
	#save(): void {
		const file = standaloneSvg(this.#name, [[{chart: this.#chart, view: {...this.#shown, width: SAVED_WIDTH}}]]);
		const url = URL.createObjectURL(new Blob([file], {type: 'image/svg+xml'}));
		const link = document.createElement('a');
		link.href = url;
		link.download = [this.#name, this.#chart.kind, this.#shown.k && `k${this.#shown.k}`, this.#shown.by].filter(Boolean).join('-') + '.svg';
		link.click();
		URL.revokeObjectURL(url);
	}
}
