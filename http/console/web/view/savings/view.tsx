/** What was saved, by what each figure rests on; what still comes of it; and what commitments cover. */
import { hrefOf, param } from '../../router.ts'
import { Head } from '../../part/head.tsx'
import { Tabs } from '../../part/tabs.tsx'
import { ClaimsTab } from './claims.tsx'
import { CommitmentsTab } from './commitments.tsx'
import { ProjectionTab } from './projection.tsx'
import { SavingsTab } from './savings.tsx'

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
  return (
    <>
      <Head title="Savings" />
      <Tabs label="Savings" tabs={links} chosen={chosen.name} />
      <chosen.part />
    </>
  )
}
