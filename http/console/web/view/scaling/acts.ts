/** What may be done to a policy; each says before what that is. */
import { html } from '../../html.ts'
import { Sure } from '../../part/sure.ts'
import { modes, type Policy } from './words.ts'

interface Props {
  policy: Policy
  onDone: () => void
}

const Target = ({ policy: { target } }: { policy: Policy }) =>
  html`<strong class="clip wide" dir="auto" title=${target.uid}>${target.uid}</strong>`

export function PauseOrResume({ policy, onDone }: Props) {
  const params = { policyID: policy.id }
  if (policy.status === 'paused' || policy.status === 'error')
    return html`<${Sure} operation="POST /autoscaler-policies/:policyID/resume" params=${params} needs="service.update" label="Let it go on" title="Let this policy go on?" action="Let it go on" onDone=${onDone}>
      <p><${Target} policy=${policy} /> is looked at anew at once. ${modes[policy.effectiveMode].does} Units of up to ${policy.max} may run, and cost. It can be paused again.</p><//>`
  return html`<${Sure} operation="POST /autoscaler-policies/:policyID/pause" params=${params} needs="service.update" label="Pause" title="Pause this policy?" action="Pause it" onDone=${onDone}>
    <p>It says and changes nothing until it goes on. <${Target} policy=${policy} /> keeps the ${policy.currentTarget.desired} units that it has, and what they cost, whatever its load becomes. It can go on at any time.</p><//>`
}

export function Apply({ policy, onDone }: Props) {
  const said = policy.latestRecommendation!
  return html`<${Sure} operation="POST /autoscaler-policies/:policyID/apply" params=${{ policyID: policy.id }} needs="service.update" class="main" label="Apply" title="Do what the policy recommends?" action="Change the target" onDone=${onDone}>
    <p><${Target} policy=${policy} /> has at least ${said.fromMin} and at most ${said.fromMax} units; it becomes at least ${said.toMin} and at most ${said.toMax}, and its number of units follows. ${said.reason}</p>
    <p>More units cost more by the hour, fewer less; what a replay of the recorded load comes to stands below. The next change can take it back.</p>
    ${policy.adoption === 'replace' && html`<p class="note bad">With the first change the scaling policies that the target has of its own are removed: that cannot be undone from here.</p>`}<//>`
}

export const Remove = ({ policy, onDone }: Props) =>
  html`<${Sure} operation="DELETE /autoscaler-policies/:policyID" params=${{ policyID: policy.id }} needs="service.delete" isDanger label="Remove" title="Remove this policy?" action="Remove it" onDone=${onDone}>
    <p><${Target} policy=${policy} /> stays as it is, with ${policy.currentTarget.desired} units within ${policy.currentTarget.min} to ${policy.currentTarget.max}, and costs what it costs; nobody changes it by its load any more. What the policy did stays for 400 days. It cannot be undone: another policy can be made.</p><//>`
