/** What its last 14 days advise, what scales the target already, and what its account must allow: asked of the cloud at a press. */
import { useState } from 'preact/hooks'
import type { Reply } from '../../api.ts'
import { count, percent } from '../../figure.ts'
import { useReport } from '../../report.ts'
import { ReportPanel } from '../../part/report-panel.tsx'
import { Copies } from '../../part/copy.tsx'
import { Panel } from '../../part/panel.tsx'
import { ReportContent } from '../../part/report-content.tsx'
import { ConfirmButton } from '../../part/confirm-dialog.tsx'
import type { Column } from '../../part/list/column.tsx'
import { Table } from '../../part/table.tsx'
import type { Policy } from './labels.ts'

type Defaults = Reply<'GET /autoscaler-policies/smart-defaults'>
type Native = Reply<'GET /autoscaler-policies/existing-policies'>
type RequiredPermissions = Reply<'GET /autoscaler-policies/required-permissions'>
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
    return (
      <Panel title="Advice">
        <p class="bar">
          <button type="button" onClick={() => setAsked(true)}>
            Get advice and existing policies
          </button>{' '}
          <span class="faint">Evaluates the last 14 days and queries the target’s cloud.</span>
        </p>
      </Panel>
    )
  return (
    <div class="halves">
      <Panel title="Advice" about="based on its last 14 days" tools={<Copies report={defaults} />}>
        <ReportContent report={defaults} rows={3}>
          {({ min, max, targetCPUPercent, cooldownSeconds, basedOn }: Defaults) => (
            <>
              <p>
                <strong>
                  {min} to {max} units, CPU near {percent(targetCPUPercent)}, {count(cooldownSeconds)} seconds between
                  changes.
                </strong>
              </p>
              <p class="faint">
                {basedOn.p95CPUPercent === null
                  ? 'No metrics: these are the defaults.'
                  : `p95 CPU was ${percent(basedOn.p95CPUPercent)}; ${basedOn.peakInstances === null ? 'units were not counted' : `peak ${basedOn.peakInstances} units`}.`}
              </p>
            </>
          )}
        </ReportContent>
        <ReportContent report={needed} rows={2}>
          {({ permissions }: RequiredPermissions) => (
            <details>
              <summary>Permissions the account credentials require ({permissions.length})</summary>
              <ul>
                {permissions.map((one) => (
                  <li key={one}>
                    <code>{one}</code>
                  </li>
                ))}
              </ul>
            </details>
          )}
        </ReportContent>
        <ReportContent report={infrastructure} rows={1}>
          {(data: Infrastructure) => <InfrastructureStatus policy={policy} data={data} onDone={infrastructure.again} />}
        </ReportContent>
      </Panel>
      <ReportPanel title="Existing scaling policies" report={native} rows={3}>
        {({ policies, recommendation }: Native) => (
          <>
            {policies.length === 0 ? (
              <p>None: the target has no scaling policies of its own.</p>
            ) : (
              <Table
                caption="Policies of the target"
                columns={columns}
                rows={policies}
                keyOf={({ policyName }: Native['policies'][number]) => policyName}
              />
            )}
            <p>
              Recommended: <strong>{recommendation}</strong>,{' '}
              {recommendation === 'adopt'
                ? 'because another tool manages at least one of them: they stay, and only the limits change.'
                : 'because no other tool manages any.'}
            </p>
          </>
        )}
      </ReportPanel>
    </div>
  )
}

function InfrastructureStatus({ policy, data, onDone }: { policy: Policy; data: Infrastructure; onDone: () => void }) {
  if (policy.status !== 'pending_infrastructure' && data.status === 'not_created') return null
  return (
    <p>
      Cloud infrastructure: <span class="badge">{data.status.replace('_', ' ')}</span> {data.message ?? ''}
      {(data.status === 'not_created' || data.status === 'failed') && (
        <ConfirmButton
          operation="POST /autoscaler-policies/create-infrastructure"
          body={{ cloudAccountID: policy.cloudAccountID }}
          needs="service.create"
          label="Create"
          title="Create the required cloud infrastructure?"
          action="Create"
          onDone={onDone}
        >
          <p>
            A role and a small function are created once in account <strong>{policy.cloudAccountID}</strong>. The cloud
            bills the function per call. Remove them in the cloud, not here.
          </p>
        </ConfirmButton>
      )}
    </p>
  )
}

const columns: Column<Native['policies'][number]>[] = [
  { title: 'Policy', text: ({ policyName }) => policyName },
  { title: 'Target', show: ({ metric, target }) => `${metric} at ${count(target)}` },
  { title: 'Managed by', show: ({ managedBy }) => (managedBy === 'tidemark' ? 'Tidemark' : 'another tool') },
]
