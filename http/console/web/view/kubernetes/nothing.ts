/** Where no cluster costs anything: how usage comes here, or the filters that leave nothing. */
import { html } from '../../html.ts'
import { rangeText } from '../../day.ts'
import { Next } from '../../part/next.ts'
import { Empty } from '../../part/state.ts'
import { change, hrefOf } from '../../place.ts'
import { hrefWith, type Asked } from './asked.ts'

export function Nothing({ now }: { now: Asked }) {
  const days = rangeText(now.period.from, now.period.to)
  if (now.page > 1)
    return html`<${Empty} title="There are fewer pages."><p><button type="button" onClick=${() => change({ page: null })}>To the first page</button></p><//>`
  if (now.chips.length + now.labels.length > 0)
    return html`<${Empty} title=${`No costs of clusters from ${days} are left by these filters together.`}><p><a href=${hrefWith([], { label: null })}>Remove all filters</a></p><//>`
  return html`<${Empty} title=${`No cluster is known to cost anything from ${days}.`}>
    <p>Bills know machines, disks and load balancers; who used them has to be told, hour by hour. <${Next} needs=${['space.create', 'space.update']} what="Having usage told">Let Tidemark into the clusters of a <a href=${hrefOf('sources')}>connected account</a>, add a Prometheus source by <code>POST /kubernetes/sources</code>, or let a producer publish <code>kubernetes.usage</code>: docs/kubernetes.md says how.<//></p>
    <p>Other days can be chosen above.</p>
  <//>`
}
