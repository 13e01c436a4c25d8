/** Card of the overview: the members of a cluster store, as this server's node sees them. */
import { Badge, Card, Component, Empty, h, Name, Skeleton } from './parts.js';
import { ago, exactTime, number } from './format.js';
import { now, read } from './state.js';

const PAUSE_MILLIS = 2000;

/** Asks for the members while it is shown. */
export class ClusterCard extends Component {
  componentDidMount() {
    this.ask();
  }

  componentWillUnmount() {
    clearTimeout(this.timer);
    this.isGone = true;
  }

  async ask() {
    try {
      const cluster = await read('/v1/cluster');
      if (!this.isGone) this.setState({ cluster, failure: null });
    } catch (failure) {
      if (!this.isGone) this.setState({ failure: failure.message });
    }
    if (!this.isGone) this.timer = setTimeout(() => this.ask(), PAUSE_MILLIS);
  }

  render(_, { cluster, failure }) {
    return h(Card, { title: 'Cluster', id: 'cluster-title', class: 'area-cluster', aside: cluster && h(Standing, { cluster }) },
      failure && h(Empty, { icon: 'warn', title: 'The state of the members is not known' }, failure),
      cluster ? h(Members, { cluster }) : !failure && h(Skeleton));
  }
}

const Standing = ({ cluster }) => (cluster.ready
  ? h(Badge, { level: 'ok', icon: 'ok' }, `Term ${number(cluster.term)}`)
  : h(Badge, { level: 'bad', icon: 'bad' }, 'This node does not serve'));

const Members = ({ cluster }) => [
  !cluster.ready && h('p', { class: 'quiet', key: 'problem' }, `${cluster.node}: ${cluster.problem}`),
  h('table', { class: 'table', key: 'table' },
    h('thead', null, h('tr', null,
      h('th', { scope: 'col' }, 'Member'), h('th', { scope: 'col' }, 'State'),
      h('th', { scope: 'col', class: 'num' }, 'Term'), h('th', { scope: 'col', class: 'num' }, 'Lag'),
      h('th', { scope: 'col', class: 'num' }, 'Last snapshot'))),
    h('tbody', null, cluster.members.map((member) => h('tr', { key: member.name },
      h('th', { scope: 'row' }, h(Name, { value: member.name }), member.name === cluster.node && h('span', { class: 'hint' }, ' this server')),
      h('td', { title: member.problem ?? undefined }, h(State, { member })),
      h('td', { class: 'num' }, member.answers ? number(member.term) : '–'),
      h('td', { class: 'num' }, member.answers ? number(member.lag) : '–'),
      h('td', { class: 'num' }, h(Snapshot, { snapshot: member.snapshot })))))),
];

function State({ member }) {
  if (!member.answers) return h(Badge, { level: 'bad', icon: 'bad' }, 'Does not answer');
  if (!member.ready) return h(Badge, { level: 'warn', icon: 'warn' }, 'Not ready');
  return member.leader ? h(Badge, { level: 'ok', icon: 'ok' }, 'Leader') : h(Badge, null, 'Follower');
}

const Snapshot = ({ snapshot }) => (snapshot
  ? h('time', { dateTime: new Date(snapshot.at * 1000).toISOString(), title: `${exactTime(snapshot.at * 1000)}, entry ${number(snapshot.index)}` },
    ago(now() / 1000 - snapshot.at))
  : '–');
