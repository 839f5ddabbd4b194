/** What may be decided about a plan as it stands. */
import type { Reply } from '../../api.ts'
import { pluralize, usd } from '../../figure.ts'
import { go } from '../../router.ts'
import { zonedText } from '../../zone.ts'
import { Act } from '../../part/act.tsx'
import { ConfirmButton } from '../../part/confirm-dialog.tsx'
import { windowOf, type ReadinessPlan } from './labels.ts'

interface Props {
  plan: ReadinessPlan
  cost: Reply<'GET /event-readiness/:eventID/cost-estimate'> | undefined
  onEdit: () => void
  onDone: () => void
}

const isRaised = ({ status }: ReadinessPlan): boolean => ['scaling_up', 'active', 'scaling_down'].includes(status)

export function Acts({ plan, cost, onEdit, onDone }: Props) {
  const { status } = plan
  const isEditable = ['draft', 'scheduling', 'scheduled'].includes(status)
  return (
    <>
      {status === 'draft' && <Schedule plan={plan} cost={cost} onDone={onDone} />}
      {status === 'failed' && <Retry plan={plan} cost={cost} onDone={onDone} />}
      {status === 'completed' && (
        <ConfirmButton
          operation="POST /event-readiness/:eventID/reopen"
          params={{ eventID: plan.id }}
          needs="service.update"
          label="Reuse"
          title="Reuse this plan?"
          action="Back to draft"
          onDone={onDone}
        >
          <p>
            The plan becomes a draft for the next event. Nothing scales up until you change its times and schedule it.
            This costs nothing.
          </p>
        </ConfirmButton>
      )}
      {isEditable && (
        <Act needs="service.update" onClick={onEdit}>
          Edit
        </Act>
      )}
      {status !== 'cancelled' && status !== 'completed' && status !== 'draft' && <Cancel plan={plan} onDone={onDone} />}
      {!isRaised(plan) && (
        <ConfirmButton
          operation="DELETE /event-readiness/:eventID"
          params={{ eventID: plan.id }}
          needs="service.delete"
          isDanger
          label="Delete"
          title="Delete this plan?"
          action="Delete plan"
          onDone={() => go('events')}
        >
          <p>
            <strong dir="auto">{plan.name}</strong>
            {status === 'scheduled' ? ' is canceled and' : ''} is deleted;{' '}
            {pluralize(plan.targets.length, 'policy is', 'policies are')} released. Its log is kept. This cannot be
            undone.
          </p>
        </ConfirmButton>
      )}
    </>
  )
}

function ScheduleSummary({ plan, cost }: { plan: ReadinessPlan; cost: Props['cost'] }) {
  const { raisedAt, backAt } = windowOf(plan)
  return (
    <>
      <p>
        {pluralize(plan.targets.length, 'target is', 'targets are')} reserved now, scaled up at{' '}
        <strong>{zonedText(raisedAt, plan.timezone)}</strong> for {plan.expectedMultiplier} times the usual load
        (immediately if that time has passed), and restored at <strong>{zonedText(backAt, plan.timezone)}</strong>.
      </p>
      <p>
        {cost ? (
          <>
            Estimated extra cost: <strong>{usd(cost.estimatedExtraCost)}</strong>.
          </>
        ) : (
          'The extra cost is not known yet.'
        )}{' '}
        {cost?.warnings?.join(' ')} You can cancel it at any time: scaled-up targets are then restored, and capacity
        used until then is charged.
      </p>
    </>
  )
}

const Schedule = ({ plan, cost, onDone }: Omit<Props, 'onEdit'>) => (
  <ConfirmButton
    operation="POST /event-readiness/:eventID/schedule"
    params={{ eventID: plan.id }}
    needs="service.update"
    class="main"
    label="Schedule"
    title="Schedule this plan?"
    action="Schedule plan"
    onDone={onDone}
  >
    <ScheduleSummary plan={plan} cost={cost} />
  </ConfirmButton>
)

const Retry = ({ plan, cost, onDone }: Omit<Props, 'onEdit'>) => (
  <>
    <ConfirmButton
      operation="POST /event-readiness/:eventID/retry"
      params={{ eventID: plan.id }}
      body={{ to: 'scheduling' }}
      needs="service.update"
      class="main"
      label="Schedule again"
      title="Schedule this plan again?"
      action="Schedule again"
      onDone={onDone}
    >
      <ScheduleSummary plan={plan} cost={cost} />
    </ConfirmButton>
    <ConfirmButton
      operation="POST /event-readiness/:eventID/retry"
      params={{ eventID: plan.id }}
      body={{ to: 'draft' }}
      needs="service.update"
      label="Back to draft"
      title="Move this plan back to draft?"
      action="Back to draft"
      onDone={onDone}
    >
      <p>
        Scaled-up targets are restored, and nothing more happens until the plan is scheduled again. This costs nothing.
      </p>
    </ConfirmButton>
  </>
)

const Cancel = ({ plan, onDone }: Pick<Props, 'plan' | 'onDone'>) => (
  <ConfirmButton
    operation="POST /event-readiness/:eventID/cancel"
    params={{ eventID: plan.id }}
    needs="service.update"
    isDanger
    label="Cancel plan"
    title="Cancel this plan?"
    action="Cancel plan"
    onDone={onDone}
  >
    <p>
      {isRaised(plan)
        ? 'Scaled-up targets are restored now, even during the event: the remaining capacity may be too small for the load.'
        : 'Nothing scales up for it, and its policies are released.'}{' '}
      This cannot be undone, but you can create another plan.
    </p>
  </ConfirmButton>
)
