/** What hosts report about installations. With `link.ts` the one writer of SourceInstallation and SourceRepository. */
import type { EntityManager } from '@mikro-orm/postgresql'
import type { InstalledRepository, SourceEvent } from '#streams/source/event.ts'
import { repositoryKey } from '#streams/source/repository-url.ts'
import { SourceRepository } from './entity.ts'
import { linkClaimed, lockInstallation } from './link.ts'

export type InstallationEvent = Extract<SourceEvent, { kind: 'installation' }>

/** Maximum rows in one statement. */
const rowsMax = 1000

/**
 * Takes a report of a host about an installation, in a transaction of `em` that sees all organizations. Each delivery
 * counts once, and reports about a removed installation are ignored, in whatever order deliveries arrive.
 */
export async function hearInstallation(
  em: EntityManager,
  said: InstallationEvent,
  deliveryId: string,
  { at, linksAreOpen }: { at: Date; linksAreOpen: boolean },
): Promise<'accepted' | 'duplicate' | 'ignored'> {
  const { installationId, account, change } = said
  await lockInstallation(em, installationId)
  if (!(await rememberDelivery(em, installationId, deliveryId, at))) return 'duplicate'
  const [known] = await em.execute<{ goneAt: string | null }[]>(
    `insert into source_installation (org_id, id, account, heard_at, gone_at) values ('', ?, ?, ?, ?)
     on conflict (id) do update set heard_at = excluded.heard_at,
       account = coalesce(nullif(excluded.account, ''), source_installation.account),
       gone_at = coalesce(source_installation.gone_at, excluded.gone_at)
     returning gone_at as "goneAt"`,
    [installationId, account, at.toISOString(), change === 'gone' ? at.toISOString() : null],
  )
  if (change !== 'gone' && known?.goneAt !== null) return 'ignored'
  await changeRepositories(em, said)
  if (change !== 'gone' && linksAreOpen) await linkClaimed(em, installationId, at)
  return 'accepted'
}

/** Whether the delivery arrives for the first time. */
async function rememberDelivery(em: EntityManager, installationId: string, id: string, at: Date): Promise<boolean> {
  const made = await em.execute<object[]>(
    `insert into source_delivery (org_id, installation_id, id, heard_at) values ('', ?, ?, ?) on conflict do nothing returning id`,
    [installationId, id, at.toISOString()],
  )
  return made.length > 0
}

async function changeRepositories(em: EntityManager, said: InstallationEvent): Promise<void> {
  const { installationId, change, added, removed } = said
  if (change !== 'add-and-remove') await em.nativeDelete(SourceRepository, { installationId })
  else if (removed.length > 0) await em.nativeDelete(SourceRepository, { installationId, id: { $in: [...removed] } })
  if (change !== 'gone') await addRepositories(em, installationId, added)
}

async function addRepositories(em: EntityManager, id: string, added: readonly InstalledRepository[]): Promise<void> {
  for (let from = 0; from < added.length; from += rowsMax) {
    const part = added.slice(from, from + rowsMax)
    await em.execute(
      `insert into source_repository (installation_id, id, org_id, full_name, url, repository_key)
       select distinct on (one.id) i.id, one.id, i.org_id, one."fullName", one.url, one.key
       from source_installation as i, jsonb_to_recordset(?::jsonb) as one(id text, "fullName" text, url text, key text) where i.id = ?
       on conflict (installation_id, id) do update set full_name = excluded.full_name, url = excluded.url, org_id = excluded.org_id,
         repository_key = excluded.repository_key`,
      [JSON.stringify(part.map((one) => ({ ...one, key: repositoryKey(one.url) ?? '' }))), id],
    )
  }
}
