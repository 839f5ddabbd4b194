/** The rules that may give a team its resources, or costs to take part in. */
import { html } from '../../html.ts'
import { hrefOf } from '../../router.ts'
import { useReport } from '../../report.ts'
import { Next } from '../../part/next-step.ts'
import { Panel } from '../../part/panel.ts'
import { Empty, ProblemMessage, Loading } from '../../part/report-content.ts'
import { usePolicies, type Policy } from '../allocation/policies.ts'
import { allocationText, sharedText, mayGive, mayTakePart } from '../allocation/rule-text.ts'

export function Rules({ id, name }: { id: string; name: string }) {
  const allocation = usePolicies('allocation')
  const shared = usePolicies('shared-cost')
  const problem = allocation.problem ?? shared.problem
  const accounts = useReport('GET /cloud-accounts', { query: { limit: 100 } })
  const names = new Map([[id, name], ...(accounts.data?.items ?? []).map((one) => [one.id, one.name] as const)])
  if (problem) return html`<${Panel} title="Allocation rules"><${ProblemMessage} problem=${problem} /><//>`
  if (!allocation.items || !shared.items) return html`<${Panel} title="Allocation rules"><${Loading} /><//>`
  const giving = allocation.items.filter((one) => mayGive(one, id))
  const handing = shared.items.filter((one) => mayTakePart(one, id))
  const item = (policy: Policy, text: string) =>
    html`<li key=${policy.id}><a class="clip wide" dir="auto" href=${hrefOf('allocation', { rule: policy.id })}>${policy.name}</a>${!policy.enabled && html`<span class="badge">disabled</span>`}<span class="faint">${text}</span></li>`
  return html`<${Panel} title="Allocation rules for this team" tools=${html`<a href=${hrefOf('allocation')}>All rules</a>`}>
    ${
      giving.length + handing.length === 0
        ? html`<${Empty} title="No rules for this team."><p>Its resources were assigned manually. <${Next} needs="service.create" what="Creating a rule"><a href=${hrefOf('allocation', { new: 'allocation', to: id })}>Create a rule</a><//></p><//>`
        : html`<ul class="list">${giving.map((one) => item(one, allocationText(one.spec, names)))}${handing.map((one) => item(one, sharedText(one.spec, names)))}</ul>`
    }
  <//>`
}
