/** Notifies one administrator that a job will expire, or that it failed because of a defect of ours. */
import type { Tools } from '#actors/tools.ts'
import type { EffectCall, EffectWork } from '#engine/run/effect.ts'
import type { Mail } from '#streams/delivery/email.ts'
import { quoteName } from '#streams/delivery/format/text.ts'
import { mailJob, type MailInput } from './effect.ts'
import type { JobError } from './entity.ts'
import { retries } from '#streams/retry.ts'
import { plainHtml } from '#streams/delivery/format/email.ts'

export type MailTools = Pick<Tools, 'reads' | 'channels' | 'publicUrl' | 'report' | 'notifyProvisioning' | 'now'>

export const mailWork = (tools: MailTools): EffectWork => ({
  name: mailJob.name,
  pool: 'mail',
  retry: retries.email,
  run: (input, call) => send(tools, input as MailInput, call),
  failed: async (_input, { key }, fault) =>
    tools.report.error({ mail: key, err: fault }, 'a provisioning email could not be delivered'),
})

interface MailRow {
  email: string
  organization: string
  account: string
  kind: string
  name: string
  region: string
  phase: string
  error: JobError | null
  expiresAt: Date | null
}

const uuidShape = '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'

// People who left, or are no longer administrators, get no mail.
const mailSql = `
  select u.email, coalesce(o.name, '') as organization, coalesce(a.name, j.cloud_account_id) as account, j.kind, j.name,
    j.region, j.phase, j.error, j.expires_at as "expiresAt"
  from provisioning_job j
  join member m on m.org_id = j.org_id and m.user_id = case when $3 ~ $4 then $3::uuid end and m.status = 'active' and m.role_id in ('owner', 'admin')
  join app_user u on u.id = m.user_id
  left join organization o on o.id = case when j.org_id ~ $4 then j.org_id::uuid end
  left join cloud_account a on a.org_id = j.org_id and a.id = j.cloud_account_id
  where j.org_id = $1 and j.id = $2`

async function send(
  tools: MailTools,
  { template, jobId, userId }: MailInput,
  { key, orgId }: EffectCall,
): Promise<void> {
  if (template === 'provisioning.failed' && !tools.notifyProvisioning) return
  const [row] = await tools.reads.rows<MailRow>(mailSql, [orgId, jobId, userId, uuidShape])
  if (row && isSo(template, row, tools.now()))
    await tools.channels.email.send(jobMail(template, jobId, tools.publicUrl(), row), key)
}

/** Maximum milliseconds before the expiry at which the mail is sent: a day, plus an hour for differing clocks. */
const soonMs = 25 * 3_600_000

/** Whether the mail is still true: meanwhile the expiry may have changed, or the job may be deleted or retried. */
function isSo(template: MailInput['template'], { phase, expiresAt }: MailRow, now: Date): boolean {
  if (template === 'provisioning.failed') return phase === 'failed' || phase === 'delete_failed'
  const isGoing = phase === 'deleting' || phase === 'deleted'
  return !isGoing && expiresAt !== null && expiresAt.getTime() - now.getTime() <= soonMs
}

/** One line, whatever the job's name contains. */
const flat = (text: string): string => text.replaceAll(/[\p{C}\s]+/gu, ' ').trim()

function jobMail(template: MailInput['template'], jobId: string, url: string, row: MailRow): Mail {
  const { kind, name, organization, account, region, expiresAt, error } = row
  const what = `${kind} ${flat(name)}`
  const isExpiring = template === 'provisioning.expiring'
  const lines = [
    isExpiring
      ? `${what} in ${organization === '' ? 'your organization' : quoteName(organization)} will be deleted at ${expiresAt?.toISOString() ?? 'its expiry'}, with everything in it.`
      : `Provisioning ${what} in ${organization === '' ? 'your organization' : quoteName(organization)} failed because of an internal error that you cannot fix yourself.`,
    ...(!isExpiring && error ? [`Step ${flat(error.stepName)} failed: ${flat(error.message)}`] : []),
    '',
    `Where: ${flat(account)}, ${flat(region)}`,
    `  GET ${url}/provisioning-jobs/${jobId}`,
    ...(isExpiring
      ? [`To keep it: PATCH ${url}/provisioning-jobs/${jobId} with a later expiresAt, or null to keep it`]
      : []),
  ]
  return {
    to: row.email,
    subject: (isExpiring ? `${what} will be deleted within a day` : `Provisioning ${what} failed`).slice(0, 200),
    text: `${lines.join('\n')}\n`,
    html: plainHtml(lines),
    headers: { 'X-Tidemark-Template': template },
  }
}
