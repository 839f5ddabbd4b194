/** Current data of the jobs and resources in the log of the guard. */
import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import type { ResourceScope } from '#actors/resource/queries.ts'
import { within } from '#actors/resource/row.ts'
import type { GuardLine } from '#analytics/workflow/questions.ts'
import type { ChangeWindow } from '#streams/workflow.ts'
import type { Guardrail } from './guardrail.ts'
import { groundsOf } from './needs.ts'
import type { ReplayGrounds } from './replay.ts'
import { readsOf } from '#actors/workflow/plan/preview.ts'

const placeText = (account: string, uid: string): string => `${account}\0${uid}`

export interface KnownOfLog extends ReplayGrounds {
  /** The current guardrail. */
  guardrail: Guardrail
  sees: (line: GuardLine) => boolean
}

export async function knownOf(
  em: EntityManager,
  orgId: string,
  scope: ResourceScope | undefined,
  lines: readonly GuardLine[],
): Promise<KnownOfLog> {
  const places = [
    ...new Map(
      lines.map(({ cloud_account_id: account, resource_uid: uid }) => [
        placeText(account, uid),
        { orgId, account, uid },
      ]),
    ).values(),
  ]
  const needs = await groundsOf([...places, { orgId, account: '', uid: '' }], readsOf(em))
  const windows = await windowsOf(em, orgId, [...new Set(lines.map(({ job_id: id }) => id))])
  const seen = scope && (await seenOf(em, orgId, scope, places))
  return {
    guardrail: needs(orgId, { cloudAccountId: '', resourceUid: '' }).guardrail,
    grounds: (asked) => needs(orgId, asked),
    windows: (jobId) => windows.get(jobId) ?? [],
    sees: ({ cloud_account_id: account, resource_uid: uid }) => !seen || seen.has(placeText(account, uid)),
  }
}

async function windowsOf(
  em: EntityManager,
  orgId: string,
  ids: readonly string[],
): Promise<Map<string, ChangeWindow[]>> {
  const { rows } = await sql<{ id: string; windows: ChangeWindow[] }>`
    SELECT id, plan -> 'windows' AS windows FROM workflow_job
    WHERE org_id = ${orgId} AND id = ANY(${ids}::text[]) AND plan -> 'windows' <> '[]'::jsonb`.execute(em.getKysely())
  return new Map(rows.map(({ id, windows }) => [id, windows]))
}

/** Those that a role may see: anyone who sees the resource sees its workflow. */
async function seenOf(
  em: EntityManager,
  orgId: string,
  scope: ResourceScope,
  places: readonly { account: string; uid: string }[],
): Promise<ReadonlySet<string>> {
  const at = { org: sql`${orgId}`, account: sql`asked.account`, uid: sql`asked.uid` }
  const { rows } = await sql<{ account: string; uid: string }>`
    SELECT asked.account, asked.uid
    FROM unnest(${places.map(({ account }) => account)}::text[], ${places.map(({ uid }) => uid)}::text[]) AS asked (account, uid)
    WHERE ${within(scope, at)}`.execute(em.getKysely())
  return new Set(rows.map(({ account, uid }) => placeText(account, uid)))
}
