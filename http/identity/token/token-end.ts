/** The expiry of a person's tokens, and the mail a week before. */
import type { EntityManager } from '@mikro-orm/postgresql'
import { dayMs } from '#engine/value/day.ts'
import { personalScopes } from '#http/identity/entity.ts'
import { sendMail, tokenEndMail } from '#http/identity/person/mail.ts'
import type { IdentityTools } from '#http/identity/tools.ts'
import { asService } from '#http/store/tenant.ts'

/** Default days of validity of a person's token. */
const tokenDays = 90
const toldDaysBefore = 7
/** Maximum tokens per run; the next run finds the others. */
const toldMax = 500

/** Null: it does not expire, which must be requested explicitly. */
export function tokenEnd(given: Date | null | undefined, now: Date): Date | null {
  return given === undefined ? new Date(now.getTime() + tokenDays * dayMs) : given
}

interface EndingToken {
  name: string
  expires_at: string
  email: string
  organization: string
}

/**
 * Notifies people of tokens that expire within a week, once for each token, even if several processes run it. Tokens
 * created for a week or less are left out: their owners know.
 */
export async function tellOfTokenEnds(tools: Pick<IdentityTools, 'em' | 'now' | 'seal'>): Promise<void> {
  const now = tools.now()
  const until = new Date(now.getTime() + toldDaysBefore * dayMs)
  const tell = async (em: EntityManager) => {
    const ending = await em.execute<EndingToken[]>(
      `with ending as (
         select t.id, u.email, o.name as organization from personal_access_token t
         join app_user u on u.id::text = t.user_id
         join member m on m.user_id = u.id and m.org_id = t.org_id and m.status = 'active'
         join organization o on o.id::text = t.org_id
         where coalesce(t.refresh_ends_at, t.expires_at) > ? and coalesce(t.refresh_ends_at, t.expires_at) <= ?
           and coalesce(t.refresh_ends_at, t.expires_at) - t.created_at > make_interval(days => ?)
           and t.end_told_at is null and t.revoked_at is null and t.scope in (?, ?)
           and not exists (select from closed_organization c where c.org_id = t.org_id)
         order by coalesce(t.refresh_ends_at, t.expires_at) limit ? for update of t skip locked
       )
       update personal_access_token t set end_told_at = ? from ending where t.id = ending.id
       returning t.name, coalesce(t.refresh_ends_at, t.expires_at) as expires_at, ending.email, ending.organization`,
      [now.toISOString(), until.toISOString(), toldDaysBefore, ...personalScopes, toldMax, now.toISOString()],
    )
    for (const { name, expires_at: at, email, organization } of ending)
      await sendMail(em, tools, tokenEndMail(email, { name, organization, endsAt: new Date(at) }))
  }
  await asService(() => tools.em().transactional(tell))
}
