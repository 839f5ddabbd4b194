/** Makes or changes a role of the organization. What somebody else changed meanwhile is not overwritten unseen. */
import { useState } from 'preact/hooks'
import { html } from '../../html.ts'
import { curlOf } from '../../address.ts'
import { ask } from '../../api.ts'
import { timeText } from '../../day.ts'
import { problemOf, type Problem } from '../../problem.ts'
import { useDoing, useReport } from '../../report.ts'
import { Copy } from '../../part/copy.ts'
import { Refused, TextField } from '../../part/form.ts'
import { Panel } from '../../part/panel.ts'
import { Shown } from '../../part/state.ts'
import type { Role } from './asked.ts'
import { bodyOf, changesOf, draftOf, touched } from './draft.ts'
import { PermissionGrid, ScopeFields } from './role-fields.ts'

interface RoleFormProps {
  /** Undefined: one is made. */
  id: string | undefined
  onClose: () => void
  onDone: () => void
}

export function RoleForm({ id, onClose, onDone }: RoleFormProps) {
  const report = useReport('GET /roles/:roleID', { params: { roleID: id ?? '' }, when: id !== undefined })
  return html`<${Panel} title=${id ? 'Change the role' : 'New role'}>
    ${id === undefined ? html`<${Form} role=${undefined} onClose=${onClose} onDone=${onDone} />` : html`<${Shown} report=${report}>${(role: Role) => html`<${Form} role=${role} onClose=${onClose} onDone=${onDone} />`}<//>`}
  <//>`
}

const fields = ['/name', '/permissions', '/reportScope']

function Form({ role, onClose, onDone }: { role: Role | undefined; onClose: () => void; onDone: () => void }) {
  const [base, setBase] = useState(role)
  const [draft, setDraft] = useState(() => draftOf(role))
  const [unread, setUnread] = useState<Problem | undefined>()
  const making = useDoing('POST /roles')
  const changing = useDoing('PATCH /roles/:roleID')
  const doing = base ? changing : making
  const problem = unread ?? doing.problem
  const body = base ? changesOf(base, draft) : bodyOf(draft)
  const params = { roleID: base?.id ?? '' }
  const done = () => {
    onDone()
    onClose()
  }
  const save = async (event: Event) => {
    event.preventDefault()
    setUnread(undefined)
    if (!base) return void making.run({ body }, done)
    const now = await ask('GET /roles/:roleID', { params }).catch((error: unknown) => setUnread(problemOf(error)))
    if (!now) return
    if (now.data.updatedAt === base.updatedAt) return void changing.run({ params, body }, done)
    // What was not touched here is as the other has left it.
    setDraft({ ...draftOf(now.data), ...touched(base, draft) })
    setBase(now.data)
  }
  const isOther = base !== undefined && base.updatedAt !== role?.updatedAt
  return html`<form class="form" onSubmit=${(event: Event) => void save(event)} noValidate>
    ${isOther && html`<${Meanwhile} role=${base} />`}
    <${TextField} label="Name" value=${draft.name} onValue=${(name: string) => setDraft({ ...draft, name })} at="/name" problem=${problem} required />
    <${PermissionGrid} draft=${draft} set=${setDraft} problem=${problem} />
    <${ScopeFields} draft=${draft} set=${setDraft} problem=${problem} />
    <p class="faint">It holds from the next request of whoever has it on, in all they have open. It can be changed again.</p>
    <${Refused} problem=${problem} fields=${fields} />
    <p class="bar"><button type="submit" class="main" disabled=${doing.isBusy}>${base ? (isOther ? 'Save mine over it' : 'Save') : 'Make the role'}</button> <button type="button" onClick=${onClose}>Cancel</button>
      <${Copy} label="Copy as curl" text=${base ? curlOf('PATCH /roles/:roleID', params, {}, body) : curlOf('POST /roles', {}, {}, body)} /></p>
  </form>`
}

const Meanwhile = ({ role }: { role: Role }) =>
  html`<div class="note" role="alert"><p>Somebody changed this role at ${timeText(role.updatedAt)}, while you did. Nothing of yours is saved yet.</p>
    <p>It is now <strong dir="auto">${role.name}</strong>, with ${role.permissions.join(', ') || 'no permissions'}, and shows ${role.reportScope.all ? 'all costs' : 'the costs of some accounts and teams'}. Saving puts in its place what you changed.</p></div>`
