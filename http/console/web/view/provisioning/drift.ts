/** How far what was made is from what was asked for: it asks the cloud, so at a press. */
import { html } from '../../html.ts'
import type { Reply } from '../../api.ts'
import { useDoing } from '../../report.ts'
import { Panel } from '../../part/panel.ts'
import { Failed } from '../../part/state.ts'
import { Table } from '../../part/table.ts'

type Found = Reply<'GET /provisioning-jobs/:id/drift'>
type Row = Found['drift'][number]

const columns = [
  { key: 'path', title: 'Member', show: ({ path }: Row) => html`<code>${path.slice(1)}</code>` },
  { key: 'wanted', title: 'Asked for', show: ({ wanted }: Row) => html`<code>${JSON.stringify(wanted)}</code>` },
  { key: 'found', title: 'Is', show: ({ found }: Row) => html`<code>${JSON.stringify(found)}</code>` },
]

export function Drift({ id }: { id: string }) {
  const doing = useDoing('GET /provisioning-jobs/:id/drift')
  return html`<${Panel} title="Is it still as it was asked for?">
    <p class="bar"><button type="button" disabled=${doing.isBusy} onClick=${() => void doing.run({ params: { id } })}>${doing.isBusy ? 'Asking the cloud …' : 'Ask the cloud'}</button> <span class="faint">Nothing is put right by it.</span></p>
    ${doing.problem && html`<${Failed} problem=${doing.problem} />`}
    ${doing.done && !doing.done.exists && html`<p class="note bad" role="status">Its cloud knows nothing of it any more.</p>`}
    ${doing.done?.exists && (doing.done.drift.length === 0 ? html`<p class="note good" role="status">All that the cloud tells is as it was asked for.</p>` : html`<${Table} caption="What is otherwise" columns=${columns} rows=${doing.done.drift} keyOf=${({ path }: Row) => path} />`)}
  <//>`
}
