// A drawing in the page: says what is pointed at, and can be saved.
import {type Chart, draw, titleOf} from '../plot/chart.ts';
import {paper} from '../plot/paper.ts';
import {type Spot, type View, svg} from '../plot/pieces.ts';
import {Tip} from './tip.ts';

/** How far from a spot it is still meant, in pixels. */
const NEAR = 40;
/** Of a drawing that is saved, in pixels. */
const SAVED_WIDTH = 640;

export class ChartView {
	readonly #figure: HTMLElement;
	readonly #chart: Chart;
	readonly #drawing: HTMLElement;
	readonly #tip: Tip;
	readonly #name: string;
	#shown: Omit<View, 'width'> = {k: '', by: 'wall', hidden: new Set()};
	#spots: readonly Spot[] = [];
	#at: Spot | undefined;

	/** `name` is that of the record: files saved begin with it. */
	constructor(figure: HTMLElement, chart: Chart, name: string) {
		this.#figure = figure;
		this.#chart = chart;
		this.#name = name;
		this.#drawing = figure.querySelector('.drawing')!;
		this.#tip = new Tip(figure);
		this.#drawing.tabIndex = 0;
		this.#drawing.setAttribute('role', 'group');
		this.#drawing.setAttribute('aria-roledescription', 'chart; arrow keys go from point to point');
		this.#drawing.addEventListener('pointermove', event => this.#point(event));
		this.#drawing.addEventListener('pointerdown', event => this.#point(event));
		this.#drawing.addEventListener('pointerleave', event => {
			// A finger that was lifted has said what it meant.
			if (event.pointerType === 'mouse') {
				this.#light(undefined);
			}
		});
		this.#drawing.addEventListener('keydown', event => this.#step(event));
		this.#drawing.addEventListener('blur', () => this.#light(undefined));
		const save = document.createElement('button');
		save.type = 'button';
		save.className = 'save';
		save.textContent = 'Save SVG';
		save.addEventListener('click', () => this.#save());
		figure.querySelector('figcaption')!.append(save);
	}

	/** Makes buttons of the legend's entries, if there is a legend. */
	makeLegend(toggle: (name: string) => void): void {
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
			button.addEventListener('pointerenter', () => this.#mark(entry));
			button.addEventListener('pointerleave', () => this.#mark(undefined));
			button.addEventListener('focus', () => this.#mark(entry));
			button.addEventListener('blur', () => this.#mark(undefined));
		}
	}

	show(view: Omit<View, 'width'>): void {
		this.#shown = view;
		const title = titleOf(this.#chart, view);
		const drawn = draw(this.#chart, {...view, width: Math.max(280, Math.floor(this.#figure.clientWidth))});
		this.#figure.querySelector('h3')!.textContent = title;
		this.#drawing.setAttribute('aria-label', title);
		this.#drawing.innerHTML = svg(drawn, title);
		// The browser's own words of an element would lie above ours.
		for (const words of this.#drawing.querySelectorAll('title')) {
			words.remove();
		}
		this.#spots = drawn.spots;
		this.#light(undefined);
	}

	#point({clientX, clientY}: PointerEvent): void {
		const box = this.#svg.getBoundingClientRect();
		const scale = box.width / this.#svg.viewBox.baseVal.width;
		const [x, y] = [(clientX - box.left) / scale, (clientY - box.top) / scale];
		const far = this.#chart.kind === 'curves' ? NEAR : Number.POSITIVE_INFINITY;
		// Of rows, the one at the pointer's height.
		const squeeze = this.#chart.kind === 'curves' ? 1 : 0.05;
		const distance = (spot: Spot): number => Math.hypot((spot.x - x) * squeeze, spot.y - y);
		const nearest = this.#spots.toSorted((a, b) => distance(a) - distance(b))[0];
		this.#light(nearest && distance(nearest) <= far ? nearest : undefined);
	}

	/** Left and right go along an entry, up and down to the next. */
	#step(event: KeyboardEvent): void {
		const steps: Readonly<Record<string, readonly [along: number, across: number]>> = {
			ArrowLeft: [-1, 0],
			ArrowRight: [1, 0],
			ArrowUp: [0, -1],
			ArrowDown: [0, 1],
		};
		const step = steps[event.key];
		if (event.key === 'Escape') {
			this.#light(undefined);
		}
		if (!step || this.#spots.length === 0) {
			return;
		}
		event.preventDefault();
		const at = this.#at;
		if (!at) {
			this.#light(this.#spots.find(({entry}) => entry === Math.min(...this.#spots.map(spot => spot.entry))));
			return;
		}
		const own = this.#spots.filter(({entry}) => entry === at.entry);
		if (step[0] !== 0) {
			this.#light(own[Math.min(own.length - 1, Math.max(0, own.indexOf(at) + step[0]))]);
			return;
		}
		const order = [...new Set(this.#rowsOrder())];
		const next = order[Math.min(order.length - 1, Math.max(0, order.indexOf(at.entry) + step[1]))]!;
		const place = own.indexOf(at);
		const others = this.#spots.filter(({entry}) => entry === next);
		this.#light(others[Math.min(place, others.length - 1)]);
	}

	/** Entries as they stand: curves as the legend has them, rows from above. */
	#rowsOrder(): readonly number[] {
		const entries = this.#spots.map(({entry}) => entry);
		return this.#chart.kind === 'curves' ? entries.toSorted((a, b) => a - b) : entries;
	}

	#light(spot: Spot | undefined): void {
		this.#at = spot;
		this.#mark(spot?.entry);
		this.#svg.querySelector('.ring')?.remove();
		if (!spot) {
			this.#tip.hide();
			return;
		}
		const ring = document.createElementNS('http://www.w3.org/2000/svg', 'circle');
		ring.setAttribute('class', 'ring');
		ring.setAttribute('cx', String(spot.x));
		ring.setAttribute('cy', String(spot.y));
		ring.setAttribute('r', '7');
		this.#svg.append(ring);
		const scale = this.#svg.getBoundingClientRect().width / this.#svg.viewBox.baseVal.width;
		this.#tip.show(spot, [spot.x * scale + this.#drawing.offsetLeft, spot.y * scale + this.#drawing.offsetTop]);
	}

	/** Shows one entry before the others. */
	#mark(entry: number | undefined): void {
		this.#svg.classList.toggle('lit', entry !== undefined && this.#svg.querySelector(`[data-entry="${entry}"]`) !== null);
		for (const group of this.#svg.querySelectorAll<SVGGElement>('.entry')) {
			group.classList.toggle('lit', group.dataset['entry'] === String(entry));
		}
	}

	get #svg(): SVGSVGElement {
		return this.#drawing.querySelector('svg')!;
	}

	/** What is shown, on white. */
	#save(): void {
		const drawn = paper(this.#name, [[{chart: this.#chart, view: {...this.#shown, width: SAVED_WIDTH}}]]);
		const url = URL.createObjectURL(new Blob([drawn], {type: 'image/svg+xml'}));
		const link = document.createElement('a');
		link.href = url;
		link.download = [this.#name, this.#chart.kind, this.#shown.k && `k${this.#shown.k}`, this.#shown.by].filter(Boolean).join('-') + '.svg';
		link.click();
		URL.revokeObjectURL(url);
	}
}
