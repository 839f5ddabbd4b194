/** The rules that may give a team its resources, or costs to take part in. */
import { hrefOf } from '../../router.ts'
import { useReport } from '../../report.ts'
import { Next } from '../../part/next-step.tsx'
import { Panel } from '../../part/panel.tsx'
import { Empty, ProblemMessage, Loading } from '../../part/report-content.tsx'
import { usePolicies, type Policy } from '../allocation/policies.ts'
import { allocationText, sharedText, mayGive, mayTakePart } from '../allocation/rule-text.ts'

export function Rules({ id, name }: { id: string; name: string }) {
  const allocation = usePolicies('allocation')
  const shared = usePolicies('shared-cost')
  const problem = allocation.problem ?? shared.problem
  const accounts = useReport('GET /cloud-accounts', { query: { limit: 100 } })
  const names = new Map([[id, name], ...(accounts.data?.items ?? []).map((one) => [one.id, one.name] as const)])
  if (problem)
    return (
      <Panel title="Allocation rules">
        <ProblemMessage problem={problem} />
      </Panel>
    )
  if (!allocation.items || !shared.items)
    return (
      <Panel title="Allocation rules">
        <Loading />
      </Panel>
    )
  const giving = allocation.items.filter((one) => mayGive(one, id))
  const handing = shared.items.filter((one) => mayTakePart(one, id))
  const item = (policy: Policy, text: string) => (
    <li key={policy.id}>
      <a class="clip wide" dir="auto" href={hrefOf('allocation', { rule: policy.id })}>
        {policy.name}
      </a>
      {!policy.enabled && <span class="badge">disabled</span>}
      <span class="faint">{text}</span>
    </li>
  )
  return (
    <Panel title="Allocation rules for this team" tools={<a href={hrefOf('allocation')}>All rules</a>}>
      {giving.length + handing.length === 0 ? (
        <Empty title="No rules for this team.">
          <p>
            Its resources were assigned manually.{' '}
            <Next needs="service.create" what="Creating a rule">
              <a href={hrefOf('allocation', { new: 'allocation', to: id })}>Create a rule</a>
            </Next>
          </p>
        </Empty>
      ) : (
        <ul class="list">
          {giving.map((one) => item(one, allocationText(one.spec, names)))}
          {handing.map((one) => item(one, sharedText(one.spec, names)))}
        </ul>
      )}
    </Panel>
  )
}
