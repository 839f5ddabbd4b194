/** Changes the name, the tags or the end of a job; nothing is run again. */
import { useState } from 'preact/hooks'
import { html } from '../../html.ts'
import { ask } from '../../api.ts'
import { dayText, timeText } from '../../day.ts'
import { useEditing } from '../../editing.ts'
import { useDoing } from '../../report.ts'
import { Act } from '../../part/act.ts'
import { Refused, TextField } from '../../part/form.ts'
import { Meanwhile, Same } from '../../part/meanwhile.ts'
import { Panel } from '../../part/panel.ts'
import { Asked } from '../../part/sure.ts'
import { begunOf, changesOf, endOf, namedTwice, tagPlaces, type JobDraft, type Tag } from './draft.ts'
import { TagRows } from './tags.ts'
import type { Job } from './words.ts'

interface ChangeProps {
  job: Job
  onClose: () => void
  onDone: () => void
}

export function Change({ job, onClose, onDone }: ChangeProps) {
  const look = async () => (await ask('GET /provisioning-jobs/:id', { params: { id: job.id } })).data as Job
  const editing = useEditing<Job, JobDraft>({ thing: job, begun: (of) => begunOf(of!), look })
  const { draft, set, settle } = editing
  // As it is known to be: the job goes on meanwhile, and others may change it.
  const before = editing.thing!
  const [isAsked, setAsked] = useState(false)
  const doing = useDoing('PATCH /provisioning-jobs/:id')
  const body = changesOf(before, draft)
  const isSame = Object.keys(body).length === 0
  const { problem } = doing
  const submit = (event: Event) => {
    event.preventDefault()
    void settle(() => setAsked(true))
  }
  return html`<${Panel} title="Change the job">
    <form class="form" onSubmit=${submit} noValidate>
      <${TextField} label="Name of the job" value=${draft.name} onValue=${(name: string) => set({ name })} at="/name" problem=${problem} />
      <${TagRows} tags=${draft.tags} problem=${problem} onTags=${(tags: Tag[]) => set({ tags })} />
      <${TextField} label="Deleted by itself on" type="date" value=${draft.end} onValue=${(end: string) => set({ end })} at="/expiresAt" problem=${problem} hint=${before.expiresAt && draft.end === endOf(before) ? `at ${timeText(before.expiresAt)}` : 'at the beginning of the day, UTC; never unless given'} />
      <${Meanwhile} editing=${editing} labels=${{ end: 'Deleted by itself on' }} />
      <${Refused} problem=${problem} fields=${['/name', ...tagPlaces(draft.tags), '/tags', '/expiresAt']} />
      <p class="bar"><${Act} type="submit" needs="provisioning.update" class="main" disabled=${isSame || namedTwice(draft.tags).length > 0}>Save …<//> <button type="button" onClick=${onClose}>Cancel</button><${Same} isSame=${isSame} /></p>
    </form>
    ${
      isAsked &&
      html`<${Asked} operation="PATCH /provisioning-jobs/:id" params=${{ id: job.id }} body=${body} doing=${doing} settle=${settle} title="Change this job?" action="Save it" closesOnProblem onDone=${onDone} onClose=${() => setAsked(false)}>
      <${Happens} job=${job} body=${body} /><//>`
    }
  <//>`
}

function Happens({ job, body }: { job: Job; body: ReturnType<typeof changesOf> }) {
  const { expiresAt } = body
  return html`<p>Nothing is run again, and it costs the same. ${body.name !== undefined && html`<strong dir="auto">${job.name}</strong> is called <strong dir="auto">${body.name}</strong> here; what it is called at the cloud stays. `}${body.tags && 'What stands at the cloud keeps its tags; those are put on what is made from now on. '}It can be changed again.</p>
    ${expiresAt && html`<p class="note">On ${dayText(expiresAt.slice(0, 10))} all that it has made is deleted by itself, and what is stored there with it: that cannot be undone. Owners and admins are told the day before.</p>`}
    ${expiresAt === null && html`<p>It is not deleted by itself any more: it costs what it costs until somebody deletes it.</p>`}`
}
