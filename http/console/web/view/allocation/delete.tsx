/** Deleting a rule: says first what goes back to whom. */
import type { ComponentChildren } from 'preact'
import { usd } from '../../figure.ts'
import { useRequest, useReport } from '../../report.ts'
import { Confirm } from '../../part/confirm.tsx'
import { ReportContent } from '../../part/report-content.tsx'
import { Moves, reverseMoves, type AllocationPreview, type SharedPreview } from './moves.tsx'
import type { Policy } from './policies.ts'
import { withoutIt, type AllocationSpec } from './rule-text.ts'

interface DeleteProps {
  rule: Policy
  onClose: () => void
  onDone: () => void
}

function Delete({ rule, onClose, onDone, children }: DeleteProps & { children?: ComponentChildren }) {
  const doing = useRequest('DELETE /policies/:policyID')
  const run = () => void doing.run({ params: { policyID: rule.id } }, onDone)
  return (
    <Confirm
      title={`Delete rule ${rule.name}?`}
      action="Delete rule"
      isDanger
      doing={doing}
      request={{ operation: 'DELETE /policies/:policyID', params: { policyID: rule.id } }}
      onConfirm={run}
      onClose={onClose}
    >
      {rule.enabled ? children : <p>The rule is disabled, so nothing moves.</p>}
      <p>
        Open months update within a second or two; closed months keep their teams. To undo this, create the same rule
        again.
      </p>
    </Confirm>
  )
}

export function DeleteAllocation(props: DeleteProps) {
  const { rule } = props
  const spec = withoutIt(rule.spec as AllocationSpec)
  const report = useReport('POST /allocation/policies/preview', {
    body: { policyID: rule.id, spec },
    when: rule.enabled,
  })
  return (
    <Delete {...props}>
      <ReportContent report={report}>
        {({ moved, totalUsd30d }: AllocationPreview) =>
          moved.length === 0 ? (
            <p>Nothing moves: no resource gets its team from this rule.</p>
          ) : (
            <>
              <p>
                <strong>{usd(totalUsd30d)}</strong> of the last 30 days moves back:
              </p>
              <Moves moved={moved} caption="Costs that move back" />
            </>
          )
        }
      </ReportContent>
    </Delete>
  )
}

export function DeleteShared(props: DeleteProps) {
  const { rule } = props
  const report = useReport('POST /shared-cost/policies/preview', {
    body: { policyID: rule.id, spec: rule.spec },
    when: rule.enabled,
  })
  return (
    <Delete {...props}>
      <ReportContent report={report}>
        {({ moved, movedUsd30d }: SharedPreview) =>
          moved.length === 0 ? (
            <p>Nothing moves: the rule distributed no costs in the last 30 days.</p>
          ) : (
            <>
              <p>
                <strong>{usd(movedUsd30d)}</strong> of the last 30 days is no longer distributed and moves back:
              </p>
              <Moves moved={reverseMoves(moved)} caption="Costs that move back" />
            </>
          )
        }
      </ReportContent>
    </Delete>
  )
}
