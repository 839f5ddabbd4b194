/** What was saved, by what each figure rests on; what still comes of it; and what commitments cover. */
import { html } from '../../html.ts'
import { hrefOf, param } from '../../router.ts'
import { Tabs } from '../../part/tabs.ts'
import { ClaimsTab } from './claims.ts'
import { CommitmentsTab } from './commitments.ts'
import { ProjectionTab } from './projection.ts'
import { SavingsTab } from './savings.ts'

const tabs = [
  { name: 'saved', title: 'Savings', part: SavingsTab },
  { name: 'claims', title: 'Claims', part: ClaimsTab },
  { name: 'projection', title: 'Projection', part: ProjectionTab },
  { name: 'commitments', title: 'Commitments', part: CommitmentsTab },
]

export function View() {
  const wanted = param('claim') === undefined ? param('tab') : 'claims'
  const chosen = tabs.find(({ name }) => name === wanted) ?? tabs[0]!
  const links = tabs.map(({ name, title }) => ({
    name,
    title,
    href: hrefOf('savings', { tab: name === 'saved' ? null : name }),
  }))
  return html`<div class="view-head"><h1>Savings</h1></div>
    <${Tabs} label="Savings" tabs=${links} chosen=${chosen.name} />
    <${chosen.part} />`
}
