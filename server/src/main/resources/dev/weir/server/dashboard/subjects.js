/**
 * View with a card for every subject that the server has seen. There may be ten thousand, so only visible cards are in
 * the document, and a card is drawn again only if it has changed.
 */
import { Badge, Component, Empty, h, Icon, levelOf, Meter, Name, Segments } from './parts.js';
import { ago, duration, number, percent, plural } from './format.js';
import { isLimited, isStoreDown, now, standingOf, state } from './state.js';
import { param, setParams } from './routes.js';
import { openSubject } from './actions.js';

const CARD_WIDTH = 300;
const CARD_HEIGHT = 152;
const GAP = 12;
const SPARE_ROWS = 4;
const SHOWN_BUDGETS = 3;
const SETTLE_MILLIS = 1500;

const SORTS = {
  limited: ['Most limited', (a, b) => isLimited(b) - isLimited(a) || b.used - a.used || b.violations - a.violations],
  violations: ['Most violations', (a, b) => b.violations - a.violations || b.used - a.used],
  seen: ['Last seen', (a, b) => b.seen - a.seen],
  name: ['Name', (a, b) => (a.text < b.text ? -1 : 1)],
};

const SHOWN = {
  all: ['All', () => true],
  limited: ['Limited', isLimited],
  near: ['Over 80 %', (subject) => subject.used > 0.8],
  set: ['Exempt or set', (subject) => subject.exempt || subject.overridden],
};

/** The chosen filters, from the address. They are the same for all that is drawn at once. */
let wish = wished();

function wished() {
  const known = (name, choices, usual) => (Object.hasOwn(choices, param(name)) ? param(name) : usual);
  return { query: param('q'), sort: known('sort', SORTS, 'limited'), shown: known('show', SHOWN, 'all'), kind: param('kind') };
}

export class Subjects extends Component {
  order = [];
  ordered = {};
  touchedAt = 0;

  render() {
    wish = wished();
    const all = [...state.subjects.values()];
    const kinds = [...new Set(all.map((subject) => subject.attribute))].sort();
    const found = this.arrange(all.filter(isWished));
    return h('div', { class: 'subjects' },
      h(Tools, { kinds }),
      h('p', { class: 'quiet found', role: 'status' }, all.length === 0 ? '' : found.length === all.length
        ? plural(all.length, 'subject')
        : `${number(found.length)} of ${plural(all.length, 'subject')}`),
      found.length > 0
        ? h(Grid, { found, onTouch: () => { this.touchedAt = Date.now(); } })
        : h(Nobody, { isFiltered: all.length > 0 }));
  }

  /** Sorts as chosen; but no card moves shortly after the pointer was over the list. */
  arrange(found) {
    const isSameWish = JSON.stringify(wish) === this.ordered;
    const isHeld = isSameWish && Date.now() - this.touchedAt < SETTLE_MILLIS;
    if (isHeld) {
      const places = new Map(this.order.map((id, place) => [id, place]));
      found.sort((a, b) => (places.get(a.id) ?? Infinity) - (places.get(b.id) ?? Infinity) || a.id - b.id);
    } else {
      const compare = SORTS[wish.sort][1];
      found.sort((a, b) => compare(a, b) || a.id - b.id);
    }
    this.order = found.map((subject) => subject.id);
    this.ordered = JSON.stringify(wish);
    return found;
  }
}

const isWished = (subject) =>
  (wish.kind === '' || subject.attribute === wish.kind)
  && SHOWN[wish.shown][1](subject)
  && (wish.query === '' || subject.text.includes(wish.query.toLowerCase()));

function Tools({ kinds }) {
  return h('div', { class: 'tools' },
    h('label', { class: 'search' }, h(Icon, { name: 'search' }), h('span', { class: 'sr-only' }, 'Search subjects'),
      h('input', {
        id: 'search', type: 'search', placeholder: 'Search by name   /', autocomplete: 'off', value: wish.query,
        onInput: (event) => setParams({ q: event.target.value }),
      })),
    h(Segments, { label: 'Show', options: Object.entries(SHOWN).map(([key, [text]]) => [key, text]), value: wish.shown, onChange: (show) => setParams({ show: show === 'all' ? '' : show }) }),
    kinds.length > 1 && h('label', { class: 'choice' }, h('span', null, 'Kind'),
      h('select', { value: wish.kind, onChange: (event) => setParams({ kind: event.target.value }) },
        h('option', { value: '' }, 'All'), kinds.map((kind) => h('option', { key: kind, value: kind }, kind)))),
    h('label', { class: 'choice' }, h('span', null, 'Sort'),
      h('select', { value: wish.sort, onChange: (event) => setParams({ sort: event.target.value === 'limited' ? '' : event.target.value }) },
        Object.entries(SORTS).map(([key, [text]]) => h('option', { key, value: key }, text)))));
}

const Nobody = ({ isFiltered }) =>
  isFiltered
    ? h(Empty, { icon: 'search', title: 'Nobody fits', action: h('button', { type: 'button', class: 'button button-plain', onClick: () => setParams({ q: '', show: '', kind: '' }) }, 'Show all') },
      'Only subjects that this server has seen in the last hour are listed.')
    : h(Empty, { icon: 'subjects', title: 'Nobody yet' },
      'A subject appears here within a second or two of its request. Try: ',
      h('code', null, './weir check agent=a1 action=ping'));

/** Renders as many columns as fit, and the visible rows with a few above and below. */
class Grid extends Component {
  state = { width: 0, first: 0, last: 8 };

  look = () => {
    const top = -this.base.getBoundingClientRect().top;
    const step = CARD_HEIGHT + GAP;
    const first = Math.max(0, Math.floor(top / step) - SPARE_ROWS);
    const last = Math.ceil((top + innerHeight) / step) + SPARE_ROWS;
    if (first !== this.state.first || last !== this.state.last) this.setState({ first, last });
  };

  onScroll = () => {
    this.props.onTouch();
    this.look();
  };

  componentDidMount() {
    addEventListener('scroll', this.onScroll, { passive: true });
    this.observer = new ResizeObserver(([entry]) => {
      this.setState({ width: entry.contentRect.width });
      this.look();
    });
    this.observer.observe(this.base);
  }

  componentWillUnmount() {
    removeEventListener('scroll', this.onScroll);
    this.observer.disconnect();
  }

  render({ found, onTouch }, { width, first, last }) {
    const columns = Math.max(1, Math.floor((width + GAP) / (CARD_WIDTH + GAP)));
    const cardWidth = (width - (columns - 1) * GAP) / columns;
    const rows = Math.ceil(found.length / columns);
    const second = Math.floor(now() / 1000);
    return h('ul', {
      class: 'grid', style: { height: `${rows * (CARD_HEIGHT + GAP) - GAP}px` }, onPointerMove: onTouch, onFocusIn: onTouch,
    }, found.slice(first * columns, last * columns).map((subject, i) => {
      const place = first * columns + i;
      const x = (place % columns) * (cardWidth + GAP);
      const y = Math.floor(place / columns) * (CARD_HEIGHT + GAP);
      return h('li', {
        key: subject.id, class: 'grid-cell', 'aria-setsize': found.length, 'aria-posinset': place + 1,
        style: { width: `${cardWidth}px`, transform: `translate(${x}px, ${y}px)` },
      }, h(SubjectCard, { subject, revision: subject.revision, second }));
    }));
  }
}

class SubjectCard extends Component {
  /** Subjects are mutated in place; their revision number shows a change. Displayed ages advance by time. */
  shouldComponentUpdate(next) {
    return next.subject !== this.props.subject || next.revision !== this.props.revision || next.second !== this.props.second;
  }

  render({ subject, second }) {
    const level = levelOf(subject.used);
    const hidden = subject.budgets.length - SHOWN_BUDGETS;
    const budgets = hidden > 0 ? [...subject.budgets].sort((a, b) => b.used - a.used).slice(0, SHOWN_BUDGETS) : subject.budgets;
    return h('article', { class: `subject subject-${isStoreDown() ? 'unknown' : isLimited(subject) ? 'bad' : level}` },
      h('header', { class: 'subject-head' },
        h('h2', null, h('span', { class: 'kind' }, subject.attribute),
          h('button', { type: 'button', class: 'cover', onClick: () => openSubject(subject) }, h(Name, { value: subject.value }))),
        h('span', { class: `subject-used level-${level}` }, isStoreDown() ? '?' : subject.budgets.length > 0 && [h(Icon, { name: level, small: true }), percent(subject.used)])),
      h('ul', { class: isStoreDown() ? 'budgets budgets-old' : 'budgets' }, budgets.map((budget) => h(BudgetRow, { key: labelOf(budget), budget })),
        subject.budgets.length === 0 && h('li', { class: 'quiet' }, whyNoBudgets(subject))),
      h('footer', { class: 'subject-foot' },
        h('span', { class: 'num' }, plural(subject.violations, 'violation')),
        h(SubjectBadge, { subject, second }),
        h('span', { class: 'subject-seen' }, hidden > 0 ? `+${hidden} · ` : '', ago(second - subject.seen))));
  }
}

export const labelOf = (budget) => [budget.limit, ...Object.values(budget.key)].join(' · ');

export const whyNoBudgets = (subject) =>
  subject.exempt ? 'Exempt: no limit applies.'
    : isStoreDown() ? 'Unknown: the store does not answer.'
      : subject.cut ? 'Its name is too long to look up its budgets.'
        : 'No budget of its own.';

export const BudgetRow = ({ budget, isLong }) =>
  h('li', { class: `budget ${budget.shadow ? 'budget-shadow' : ''}` },
    h('span', { class: 'budget-label', title: labelOf(budget) }, budget.shadow && h('span', { title: 'Shadow: reports, does not enforce' }, '◇ ', h('span', { class: 'sr-only' }, 'shadow ')), labelOf(budget)),
    h(Meter, { used: budget.used, label: labelOf(budget) }),
    h('span', { class: 'num budget-left' }, h('b', null, number(budget.remaining)), ` / ${number(budget.capacity)}`),
    isLong && h('span', { class: 'num budget-reset' }, budget.remaining >= budget.capacity ? 'whole' : `whole in ${duration(budget.resetAt - now() / 1000)}`));

/** One word for each state; `rest` is the time that it still lasts. */
const BADGES = {
  unknown: ['warn', 'warn', () => 'Unknown', 'The store does not answer, so its budgets are not known'],
  off: ['plain', 'info', () => 'Not limited', 'Limiting is off'],
  exempt: ['plain', 'admin', () => 'Exempt', 'No limit applies'],
  refused: ['bad', 'bad', (rest) => (rest > 0 ? `Denied now, ${duration(rest)}` : 'Denied now'), 'Its next request is denied: a budget is empty, or a wait is enforced'],
  advised: ['warn', 'warn', (rest) => `Advised to wait ${duration(rest)}`, 'Its last denied request named this wait; nothing enforces it'],
  lately: ['warn', 'warn', () => 'Denied lately', 'Denied within the last minute'],
  recorded: ['plain', 'info', (rest) => `On record ${duration(rest)}`, 'Its violations in a row still count for so long'],
};

export function SubjectBadge({ subject }) {
  const { kind, until } = standingOf(subject);
  if (kind === 'fine') return subject.overridden ? h(Badge, { icon: 'admin' }, 'Own rates') : h(Badge, { level: 'ok', icon: 'ok' }, 'In good standing');
  const [level, icon, text, title] = BADGES[kind];
  return h(Badge, { level, icon, title }, text(until - now() / 1000));
}
