/** Who is in the organization, what each may do, and the roles that say so. */
import { html } from '../../html.ts'
import { ViewTabs, tabAsked } from '../../part/tabs.ts'
import { People } from './people.ts'
import { Roles } from './roles.ts'

const tabs = [
  { name: 'members', title: 'Members' },
  { name: 'roles', title: 'Roles' },
] as const

export function View() {
  const chosen = tabAsked(tabs)
  return html`<div class="view-head"><h1>Members and roles</h1></div>
    <${ViewTabs} view="members" label="Members and roles" tabs=${tabs} />
    ${chosen.name === 'members' ? html`<${People} />` : html`<${Roles} />`}`
}
