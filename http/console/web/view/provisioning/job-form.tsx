/** Changes the name, the tags or the end of a job; nothing is run again. */
import { useState } from 'preact/hooks'
import { ask } from '../../api.ts'
import { dayText, timeText } from '../../day.ts'
import { useEditing } from '../../editing.ts'
import { useRequest } from '../../report.ts'
import { Act } from '../../part/act.tsx'
import { FormProblem, TextField } from '../../part/form.tsx'
import { ConcurrentEdits, Same } from '../../part/concurrent-edits.tsx'
import { Panel } from '../../part/panel.tsx'
import { ConfirmDialog } from '../../part/confirm-dialog.tsx'
import { startJobDraft, changesOf, endOf, namedTwice, tagPlaces, type JobDraft, type Tag } from './draft.ts'
import { TagRows } from './tags.tsx'
import type { ProvisioningJob } from './labels.ts'

interface JobFormProps {
  job: ProvisioningJob
  onClose: () => void
  onDone: () => void
}

export function JobForm({ job, onClose, onDone }: JobFormProps) {
  const look = async () => (await ask('GET /provisioning-jobs/:id', { params: { id: job.id } })).data as ProvisioningJob
  const editing = useEditing<ProvisioningJob, JobDraft>({ thing: job, begun: (of) => startJobDraft(of!), look })
  const { draft, set, settle } = editing
  // As it is known to be: the job goes on meanwhile, and others may change it.
  const before = editing.thing!
  const [isAsked, setAsked] = useState(false)
  const doing = useRequest('PATCH /provisioning-jobs/:id')
  const body = changesOf(before, draft)
  const isSame = Object.keys(body).length === 0
  const { problem } = doing
  const submit = (event: Event) => {
    event.preventDefault()
    void settle(() => setAsked(true))
  }
  return (
    <Panel title="Edit job">
      <form class="form" onSubmit={submit} noValidate>
        <TextField
          label="Job name"
          value={draft.name}
          onValue={(name: string) => set({ name })}
          at="/name"
          problem={problem}
        />
        <TagRows tags={draft.tags} problem={problem} onTags={(tags: Tag[]) => set({ tags })} />
        <TextField
          label="Expires on"
          type="date"
          value={draft.end}
          onValue={(end: string) => set({ end })}
          at="/expiresAt"
          problem={problem}
          hint={
            before.expiresAt && draft.end === endOf(before)
              ? `at ${timeText(before.expiresAt)}`
              : 'at the start of the day, UTC; leave empty to never expire'
          }
        />
        <ConcurrentEdits editing={editing} labels={{ end: 'Expires on' }} />
        <FormProblem problem={problem} fields={['/name', ...tagPlaces(draft.tags), '/tags', '/expiresAt']} />
        <p class="bar">
          <Act
            type="submit"
            needs="provisioning.update"
            class="main"
            disabled={isSame || namedTwice(draft.tags).length > 0}
          >
            Save…
          </Act>{' '}
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <Same isSame={isSame} />
        </p>
      </form>
      {isAsked && (
        <ConfirmDialog
          operation="PATCH /provisioning-jobs/:id"
          params={{ id: job.id }}
          body={body}
          doing={doing}
          settle={settle}
          title="Save this job?"
          action="Save changes"
          closesOnProblem
          onDone={onDone}
          onClose={() => setAsked(false)}
        >
          <Happens job={job} body={body} />
        </ConfirmDialog>
      )}
    </Panel>
  )
}

function Happens({ job, body }: { job: ProvisioningJob; body: ReturnType<typeof changesOf> }) {
  const { expiresAt } = body
  return (
    <>
      <p>
        Nothing is run again, and the cost does not change.{' '}
        {body.name !== undefined && (
          <>
            <strong dir="auto">{job.name}</strong> is renamed to <strong dir="auto">{body.name}</strong> here; its name
            in the cloud does not change.{' '}
          </>
        )}
        {body.tags && 'Existing cloud resources keep their tags; the new tags apply to resources created from now on. '}
        You can edit it again.
      </p>
      {expiresAt && (
        <p class="note">
          On {dayText(expiresAt.slice(0, 10))} everything it created is deleted automatically, including stored data.
          This cannot be undone. Owners and admins are notified the day before.
        </p>
      )}
      {expiresAt === null && <p>It no longer expires: it keeps incurring costs until someone deletes it.</p>}
    </>
  )
}
