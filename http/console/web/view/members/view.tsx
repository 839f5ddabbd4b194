/** Who is in the organization, what each may do, and the roles that say so. */
import { Head } from '../../part/head.tsx'
import { ViewTabs, tabAsked } from '../../part/tabs.tsx'
import { People } from './people.tsx'
import { Roles } from './roles.tsx'

const tabs = [
  { name: 'members', title: 'Members' },
  { name: 'roles', title: 'Roles' },
] as const

export function View() {
  const chosen = tabAsked(tabs)
  return (
    <>
      <Head title="Members and roles" />
      <ViewTabs view="members" label="Members and roles" tabs={tabs} />
      {chosen.name === 'members' ? <People /> : <Roles />}
    </>
  )
}
