// A record's section: what is chosen in it, and the drawings and tables that follow.
import type {Chart} from '../plot/chart.ts';
import {ChartView} from './chart-view.ts';

type By = 'wall' | 'cpu';

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
		const ks = (charts[0]?.ks ?? []).filter(Boolean);
		this.#k = ks[0] ?? '';
		if (ks.length > 1) {
			controls.append(choice(/^\d+$/u.test(ks[0]!) ? 'k' : 'task', ks, this.#k, k => this.#choose({k})));
		}
		if (ks.length > 0) {
			controls.append(choice('time', ['wall', 'cpu'], 'wall', by => this.#choose({by: by as By})));
		}
		for (const view of this.#views) {
			view.makeLegend(name => this.#toggle(name));
		}
	}

	/** Draws, now and whenever the page has another width. */
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

	#choose({k = this.#k, by = this.#by}: {readonly k?: string; readonly by?: By}): void {
		this.#k = k;
		this.#by = by;
		this.#draw();
	}

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

/** Buttons of which one is pressed. */
function choice(name: string, values: readonly string[], first: string, chosen: (value: string) => void): HTMLElement {
	const set = document.createElement('fieldset');
	set.className = 'choice';
	const legend = document.createElement('legend');
	legend.textContent = name;
	const row = document.createElement('div');
	const buttons = values.map(value => {
		const button = document.createElement('button');
		button.type = 'button';
		button.textContent = value;
		button.setAttribute('aria-pressed', String(value === first));
		button.addEventListener('click', () => {
			for (const other of buttons) {
				other.setAttribute('aria-pressed', String(other === button));
			}
			chosen(value);
		});
		return button;
	});
	row.append(...buttons);
	set.append(legend, row);
	return set;
}
