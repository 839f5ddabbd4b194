/** Who is in the organization, what each may do, and the roles that say so. */
import { html } from '../../html.ts'
import { hrefOf, param } from '../../place.ts'
import { People } from './people.ts'
import { Roles } from './roles.ts'

const tabs = [
  { name: 'members', title: 'Members' },
  { name: 'roles', title: 'Roles' },
] as const

export function View() {
  const chosen = tabs.find(({ name }) => name === param('tab')) ?? tabs[0]
  return html`<div class="view-head"><h1>Members and roles</h1></div>
    <nav class="tabs" aria-label="Members and roles">${tabs.map(({ name, title }) => html`<a key=${name} href=${hrefOf('members', { tab: name === 'members' ? null : name })} aria-current=${name === chosen.name ? 'page' : undefined}>${title}</a>`)}</nav>
    ${chosen.name === 'members' ? html`<${People} />` : html`<${Roles} />`}`
}
