/** What its last 14 days advise, what scales the target already, and what its account must allow: asked of the cloud at a press. */
import { useState } from 'preact/hooks'
import { html } from '../../html.ts'
import type { Reply } from '../../api.ts'
import { count, percent } from '../../figure.ts'
import { useReport } from '../../report.ts'
import { Copies } from '../../part/copy.ts'
import { Panel } from '../../part/panel.ts'
import { Shown } from '../../part/state.ts'
import { Sure } from '../../part/sure.ts'
import { Table } from '../../part/table.ts'
import type { Policy } from './words.ts'

type Defaults = Reply<'GET /autoscaler-policies/smart-defaults'>
type Native = Reply<'GET /autoscaler-policies/existing-policies'>
type Needed = Reply<'GET /autoscaler-policies/required-permissions'>
type Infrastructure = Reply<'GET /autoscaler-policies/infrastructure-status'>

export function Advice({ policy }: { policy: Policy }) {
  const [isAsked, setAsked] = useState(false)
  const { cloudAccountID, target } = policy
  const query = { cloud_account_id: cloudAccountID, target_type: target.type, target_uid: target.uid }
  const defaults = useReport('GET /autoscaler-policies/smart-defaults', { query, when: isAsked })
  const native = useReport('GET /autoscaler-policies/existing-policies', { query, when: isAsked })
  const ofAccount = { query: { cloud_account_id: cloudAccountID }, when: isAsked }
  const needed = useReport('GET /autoscaler-policies/required-permissions', ofAccount)
  const infrastructure = useReport('GET /autoscaler-policies/infrastructure-status', ofAccount)
  if (!isAsked)
    return html`<${Panel} title="Advice"><p class="bar"><button type="button" onClick=${() => setAsked(true)}>Ask what is advised, and what scales it already</button> <span class="faint">It looks at the last 14 days, and asks the cloud of the target.</span></p><//>`
  return html`<div class="halves">
    <${Panel} title="Advice" about="by its last 14 days" tools=${html`<${Copies} report=${defaults} />`}>
      <${Shown} report=${defaults} rows=${3}>${({
        min,
        max,
        targetCPUPercent,
        cooldownSeconds,
        basedOn,
      }: Defaults) => html`
        <p><strong>${min} to ${max} units, CPU near ${percent(targetCPUPercent)}, ${count(cooldownSeconds)} seconds between changes.</strong></p>
        <p class="faint">${basedOn.p95CPUPercent === null ? 'Nothing was measured: these are what is usual.' : `95 of 100 hours were below ${percent(basedOn.p95CPUPercent)} CPU; ${basedOn.peakInstances === null ? 'nobody counted the units' : `${basedOn.peakInstances} units at most`}.`}</p>`}<//>
      <${Shown} report=${needed} rows=${2}>${({ permissions }: Needed) => html`<details><summary>What the credentials of the account must allow (${permissions.length})</summary><ul>${permissions.map((one) => html`<li><code>${one}</code></li>`)}</ul></details>`}<//>
      <${Shown} report=${infrastructure} rows=${1}>${(data: Infrastructure) => html`<${Made} policy=${policy} data=${data} onDone=${infrastructure.again} />`}<//>
    <//>
    <${Panel} title="What scales the target already" tools=${html`<${Copies} report=${native} />`}>
      <${Shown} report=${native} rows=${3}>${({ policies, recommendation }: Native) => html`
        ${policies.length === 0 ? html`<p>Nothing: the target has no scaling policies of its own.</p>` : html`<${Table} caption="Policies of the target" columns=${columns} rows=${policies} keyOf=${({ policyName }: Native['policies'][number]) => policyName} />`}
        <p>Advised: <strong>${recommendation}</strong>, ${recommendation === 'adopt' ? 'for somebody else manages one of them: they stay, and the bounds alone are changed.' : 'nobody else manages any.'}</p>`}<//>
    <//>
  </div>`
}

function Made({ policy, data, onDone }: { policy: Policy; data: Infrastructure; onDone: () => void }) {
  if (policy.status !== 'pending_infrastructure' && data.status === 'not_created') return null
  return html`<p>Its infrastructure at the cloud: <span class="badge">${data.status.replace('_', ' ')}</span> ${data.message ?? ''}
    ${
      (data.status === 'not_created' || data.status === 'failed') &&
      html`<${Sure} operation="POST /autoscaler-policies/create-infrastructure" body=${{ cloudAccountID: policy.cloudAccountID }} needs="service.create" label="Create it" title="Create what policies need at the cloud?" action="Create it" onDone=${onDone}>
      <p>A role and a small function are made once in the account <strong>${policy.cloudAccountID}</strong>. The cloud bills the function by its calls. They are removed at the cloud, not from here.</p><//>`
    }</p>`
}

const columns = [
  {
    key: 'name',
    title: 'Policy',
    show: ({ policyName }: Native['policies'][number]) => html`<span class="clip wide" dir="auto">${policyName}</span>`,
  },
  {
    key: 'metric',
    title: 'Holds',
    show: ({ metric, target }: Native['policies'][number]) => `${metric} at ${count(target)}`,
  },
  {
    key: 'by',
    title: 'Managed by',
    show: ({ managedBy }: Native['policies'][number]) => (managedBy === 'tidemark' ? 'Tidemark' : 'somebody else'),
  },
]
