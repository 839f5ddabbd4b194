/** Ends a workflow that is under way. */
import { useState } from 'preact/hooks'
import { ConfirmButton } from '../../part/confirm-dialog.tsx'
import { TextField } from '../../part/form.tsx'
import type { WorkflowJob } from './labels.ts'

export function Cancel({ job, onDone }: { job: WorkflowJob; onDone: () => void }) {
  const [reason, setReason] = useState('')
  return (
    <p class="bar">
      <ConfirmButton
        operation="POST /remediation-jobs/:jobID/cancel"
        params={{ jobID: job.id }}
        body={reason.trim() === '' ? {} : { reason: reason.trim() }}
        needs="service.update"
        isDanger
        label="Cancel workflow…"
        title="Cancel the workflow?"
        action="Cancel workflow"
        onDone={onDone}
      >
        <p dir="auto">
          <strong>{job.plan.operation}</strong>
        </p>
        <p>
          Steps that have not started are skipped. Completed steps and calls in progress are not reverted. You cannot
          resume it: start a new workflow from the recommendation.
        </p>
        <TextField label="Reason" rows={2} maxLength={1000} value={reason} onValue={setReason} />
      </ConfirmButton>
    </p>
  )
}
