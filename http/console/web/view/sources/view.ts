/** Where figures come from: connected accounts, bills that are uploaded, and messages that could not be taken. */
import { html } from '../../html.ts'
import { ViewTabs, tabAsked } from '../../part/tabs.ts'
import { Accounts } from './accounts.ts'
import { Connect } from './connect.ts'
import { DeadLetters } from './dead-letters.ts'
import { Exports } from './exports.ts'
import { PermissionsPanel } from './permissions.ts'
import { DuplicateCharges } from './duplicate-charges.ts'
import { Upload } from './upload.ts'
import { Uploads } from './uploads.ts'

const tabs = [
  { name: 'accounts', title: 'Accounts' },
  { name: 'bills', title: 'Uploaded bills' },
  { name: 'dead-letters', title: 'Dead letters' },
] as const

export function View() {
  const chosen = tabAsked(tabs)
  return html`<div class="view-head"><h1>Sources</h1></div>
    <${ViewTabs} view="sources" label="Sources" tabs=${tabs} />
    ${chosen.name === 'accounts' && html`<${DuplicateCharges} /><${Connect} /><${PermissionsPanel} /><${Accounts} />`}
    ${chosen.name === 'bills' && html`<${DuplicateCharges} /><${Upload} /><${Uploads} /><${Exports} />`}
    ${chosen.name === 'dead-letters' && html`<${DeadLetters} />`}`
}
