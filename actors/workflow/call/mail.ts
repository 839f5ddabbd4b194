/**
 * Notifies one administrator about a workflow: what will be done, to which resource, at what cost, until when; or how
 * it ended.
 */
import type { Tools } from '#actors/tools.ts'
import type { EffectCall, EffectWork } from '#engine/run/effect.ts'
import { mailAdmin, type MailInput } from './effect.ts'
import { workflowMail, type MailRow } from './mail-text.ts'
import { retries } from '#streams/retry.ts'

export type MailTools = Pick<Tools, 'reads' | 'channels' | 'publicUrl' | 'report' | 'notifyTerminal'>

export const mailWork = (tools: MailTools): EffectWork => ({
  name: mailAdmin.name,
  pool: 'mail',
  retry: retries.email,
  run: (input, call) => send(tools, input as MailInput, call),
  failed: async (_input, { key }, fault) =>
    tools.report.error({ mail: key, err: fault }, 'a workflow email could not be delivered'),
})

const uuidShape = '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'

// People who left, or are no longer administrators, get no mail.
const mailSql = `
  select u.email, coalesce(o.name, '') as organization, coalesce(a.name, j.cloud_account_id) as account, j.plan, j.steps,
    j.approvals, j.reason,
    coalesce((select s.email from app_user s where s.id = case when j.created_by ~ $4 then j.created_by::uuid end), j.created_by) as "startedBy"
  from workflow_job j
  join member m on m.org_id = j.org_id and m.user_id = case when $3 ~ $4 then $3::uuid end and m.status = 'active' and m.role_id in ('owner', 'admin')
  join app_user u on u.id = m.user_id
  left join organization o on o.id = case when j.org_id ~ $4 then j.org_id::uuid end
  left join cloud_account a on a.org_id = j.org_id and a.id = j.cloud_account_id
  where j.org_id = $1 and j.id = $2`

async function send(tools: MailTools, input: MailInput, { key, orgId }: EffectCall): Promise<void> {
  const { template, jobId, stepId, userId } = input
  if (template !== 'remediation.approval_required' && !tools.notifyTerminal) return
  const [row] = await tools.reads.rows<MailRow>(mailSql, [orgId, jobId, userId, uuidShape])
  if (!row) return
  await tools.channels.email.send(workflowMail(template, { jobId, stepId, url: tools.publicUrl() }, row), key)
}
