// The section of a record on the report page: its controls (k, clock, hidden entries), and the charts and tables that depend on them.
import type {Chart} from '../plot/chart.ts';
import {ChartView} from './chart-view.ts';

/** The clock by which speeds are shown. */
type By = 'wall' | 'cpu';

/** Controls the section of one record. */
export class Section {
	readonly #section: HTMLElement;
	readonly #views: readonly ChartView[];
	readonly #hidden = new Set<string>();
	#k: string;
	#by: By = 'wall';

	constructor(section: HTMLElement) {
		this.#section = section;
		const charts: readonly Chart[] = JSON.parse(section.querySelector('script.charts')!.textContent);
		this.#views = charts.map((chart, i) => new ChartView(section.querySelector(`figure[data-chart="${i}"]`)!, chart, section.id));
		const controls = section.querySelector<HTMLElement>('.controls')!;
		// The only k of build times is '', so they have no controls.
		const ks = (charts[0]?.ks ?? []).filter(Boolean);
		this.#k = ks[0] ?? '';
		if (ks.length > 1) {
			controls.append(buttonGroup(/^\d+$/u.test(ks[0]!) ? 'k' : 'task', ks, this.#k, k => this.#set({k})));
		}
		if (ks.length > 0) {
			controls.append(buttonGroup('time', ['wall', 'cpu'], 'wall', by => this.#set({by: by as By})));
		}
		for (const view of this.#views) {
			view.activateLegend(name => this.#toggle(name));
		}
	}

	/** Draws the charts now, and again whenever the width of the page changes. */
	show(): void {
		this.#draw();
		let width = this.#section.clientWidth;
		new ResizeObserver(() => {
			if (this.#section.clientWidth !== width) {
				width = this.#section.clientWidth;
				requestAnimationFrame(() => this.#draw());
			}
		}).observe(this.#section);
	}

	#set({k = this.#k, by = this.#by}: {readonly k?: string; readonly by?: By}): void {
		this.#k = k;
		this.#by = by;
		this.#draw();
	}

	/** Hides an entry, or shows it again. */
	#toggle(name: string): void {
		if (!this.#hidden.delete(name)) {
			this.#hidden.add(name);
		}
		this.#draw();
	}

	#draw(): void {
		for (const view of this.#views) {
			view.show({k: this.#k, by: this.#by, hidden: this.#hidden});
		}
		for (const table of this.#section.querySelectorAll<HTMLElement>('.scroll[data-k]')) {
			table.classList.toggle('off', table.dataset['k'] !== this.#k);
		}
	}
}

/**
Returns a group of buttons, one of which is pressed. `selected` is pressed first; `onSelect` is called when another is
clicked.
*/
function buttonGroup(name: string, values: readonly string[], selected: string, onSelect: (value: string) => void): HTMLElement {
	const set = document.createElement('fieldset');
	set.className = 'choice';
	const legend = document.createElement('legend');
	legend.textContent = name;
	const row = document.createElement('div');
	const buttons = values.map(value => {
		const button = document.createElement('button');
		button.type = 'button';
		button.textContent = value;
		button.setAttribute('aria-pressed', String(value === selected));
		button.addEventListener('click', () => {
			for (const other of buttons) {
				other.setAttribute('aria-pressed', String(other === button));
			}
			onSelect(value);
		});
		return button;
	});
	row.append(...buttons);
	set.append(legend, row);
	return set;
}
