/** What may be done to a policy; each says before what that is. */
import { ConfirmButton } from '../../part/confirm-dialog.tsx'
import { modes, type Policy } from './labels.ts'

interface Props {
  policy: Policy
  onDone: () => void
}

const Target = ({ policy: { target } }: { policy: Policy }) => (
  <strong class="clip wide" dir="auto" title={target.uid}>
    {target.uid}
  </strong>
)

export function PauseOrResume({ policy, onDone }: Props) {
  const params = { policyID: policy.id }
  if (policy.status === 'paused' || policy.status === 'error')
    return (
      <ConfirmButton
        operation="POST /autoscaler-policies/:policyID/resume"
        params={params}
        needs="service.update"
        label="Resume"
        title="Resume this policy?"
        action="Resume"
        onDone={onDone}
      >
        <p>
          <Target policy={policy} /> is re-evaluated immediately. {modes[policy.effectiveMode].does} Up to {policy.max}{' '}
          units may run and incur costs. You can pause it again.
        </p>
      </ConfirmButton>
    )
  return (
    <ConfirmButton
      operation="POST /autoscaler-policies/:policyID/pause"
      params={params}
      needs="service.update"
      label="Pause"
      title="Pause this policy?"
      action="Pause"
      onDone={onDone}
    >
      <p>
        It recommends and changes nothing until it is resumed. <Target policy={policy} /> keeps its{' '}
        {policy.currentTarget.desired} units, and their cost, regardless of load. You can resume it at any time.
      </p>
    </ConfirmButton>
  )
}

export function Apply({ policy, onDone }: Props) {
  const said = policy.latestRecommendation!
  return (
    <ConfirmButton
      operation="POST /autoscaler-policies/:policyID/apply"
      params={{ policyID: policy.id }}
      needs="service.update"
      class="main"
      label="Apply"
      title="Apply the recommendation?"
      action="Change target"
      onDone={onDone}
    >
      <p>
        <Target policy={policy} /> has {said.fromMin} to {said.fromMax} units. This changes to {said.toMin} to{' '}
        {said.toMax}, and its number of units follows. {said.reason}
      </p>
      <p>
        More units cost more per hour, fewer cost less. See the replay of the recorded load below. The next change can
        revert this.
      </p>
      {policy.adoption === 'replace' && (
        <p class="note bad">
          The first change removes the target’s own scaling policies. This cannot be undone from here.
        </p>
      )}
    </ConfirmButton>
  )
}

export const Remove = ({ policy, onDone }: Props) => (
  <ConfirmButton
    operation="DELETE /autoscaler-policies/:policyID"
    params={{ policyID: policy.id }}
    needs="service.delete"
    isDanger
    label="Remove"
    title="Remove this policy?"
    action="Remove policy"
    onDone={onDone}
  >
    <p>
      <Target policy={policy} /> keeps its {policy.currentTarget.desired} units ({policy.currentTarget.min} to{' '}
      {policy.currentTarget.max}) and their cost, and no longer scales with its load. The policy’s history is kept for
      400 days. This cannot be undone, but you can create another policy.
    </p>
  </ConfirmButton>
)
