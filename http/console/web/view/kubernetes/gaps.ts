/** Hours of which nobody told who used a cluster, and what to do about them. */
import { html } from '../../html.ts'
import { ago, timeText } from '../../day.ts'
import { counted } from '../../figure.ts'
import { Next } from '../../part/next.ts'
import { Panel } from '../../part/panel.ts'
import type { Gap } from './words.ts'

/** Clusters that are named; those that lack most come first. */
const shownMax = 8

export function Gaps({ gaps }: { gaps: readonly Gap[] }) {
  if (gaps.length === 0) return null
  return html`<${Panel} title="Hours nobody told of">
    <ul class="list">${gaps.slice(0, shownMax).map(({ clusterUID, clusterName, cloudAccountID, hoursMissing, lastToldAt }) => html`<li key=${`${cloudAccountID} ${clusterUID}`}><strong><span class="clip wide" dir="auto" title=${clusterUID}>${clusterName || clusterUID}</span></strong> lacks ${counted(hoursMissing, 'hour')} of these days. <span class="faint" title=${timeText(lastToldAt)}>Anything was told of it until ${timeText(lastToldAt)}, ${ago(lastToldAt)}.</span></li>`)}</ul>
    ${gaps.length > shownMax && html`<p class="faint">So do ${counted(gaps.length - shownMax, 'other cluster')}.</p>`}
    <p>What machines cost in these hours is unmeasured: it is nobody’s, and never spread over others. Hours that are sent later, however late, are divided anew. <${Next} needs=${['space.create', 'space.update']} what="Mending what tells of a cluster">See that what tells of the cluster runs, and send the hours again (docs/kubernetes.md); of a Prometheus source <code>GET /kubernetes/sources</code> says what was wrong.<//></p>
  <//>`
}
