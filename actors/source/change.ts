/** What hosts tell of installations, and which organization one is of. The one writer of SourceInstallation and SourceRepository. */
import type { EntityManager } from '@mikro-orm/postgresql'
import { Fault } from '#engine/fault.ts'
import type { InstalledRepository, SourceEvent } from '#streams/source/event.ts'
import { SourceInstallation, SourceRepository } from './entity.ts'

export type InstallationEvent = Extract<SourceEvent, { kind: 'installation' }>

/** Rows of one statement. */
const rowsMax = 1000

/** One installation is changed by one after another: deliveries come at once. */
const locked = async (em: EntityManager, id: string): Promise<void> =>
  void (await em.execute('select pg_advisory_xact_lock(hashtextextended(?, 0))', [`source-installation ${id}`]))

/** Takes what a host says of an installation, in a transaction of `em` that sees all organizations. Told twice it is so once. */
export async function hearInstallation(em: EntityManager, said: InstallationEvent, at: Date): Promise<void> {
  const { installationId, account, change, added, removed } = said
  await locked(em, installationId)
  if (change === 'gone') {
    await em.nativeDelete(SourceRepository, { installationId })
    await em.nativeDelete(SourceInstallation, { id: installationId })
    return
  }
  await em.execute(
    `insert into source_installation (org_id, id, account, heard_at) values ('', ?, ?, ?)
     on conflict (id) do update set heard_at = excluded.heard_at, account = coalesce(nullif(excluded.account, ''), source_installation.account)`,
    [installationId, account, at.toISOString()],
  )
  if (change === 'set') await em.nativeDelete(SourceRepository, { installationId })
  else if (removed.length > 0) await em.nativeDelete(SourceRepository, { installationId, id: { $in: [...removed] } })
  await addRepositories(em, installationId, added)
}

async function addRepositories(em: EntityManager, id: string, added: readonly InstalledRepository[]): Promise<void> {
  for (let from = 0; from < added.length; from += rowsMax) {
    const part = added.slice(from, from + rowsMax)
    await em.execute(
      `insert into source_repository (installation_id, id, org_id, full_name, url)
       select distinct on (one.id) i.id, one.id, i.org_id, one."fullName", one.url
       from source_installation as i, jsonb_to_recordset(?::jsonb) as one(id text, "fullName" text, url text) where i.id = ?
       on conflict (installation_id, id) do update set full_name = excluded.full_name, url = excluded.url, org_id = excluded.org_id`,
      [JSON.stringify(part), id],
    )
  }
}

/**
 * Gives an installation to an organization, in a transaction of `em` that sees all of them: to the first that asks for one that its host
 * has told of. Asked again by the same one, nothing happens; whether it is new.
 * @throws Fault `missing` for one that no signed webhook has told of; conflict `already_exists` for another organization's
 */
export async function linkInstallation(em: EntityManager, orgId: string, id: string, at: Date): Promise<boolean> {
  await locked(em, id)
  const found = await em.findOne(SourceInstallation, { id }, { refresh: true })
  if (!found) throw Fault.missing('installation', id)
  if (found.orgId === orgId) return false
  if (found.orgId !== '') throw Fault.conflict('already_exists', 'The installation is linked to another organization.')
  await em.nativeUpdate(SourceInstallation, { id }, { orgId, linkedAt: at })
  await em.nativeUpdate(SourceRepository, { installationId: id }, { orgId })
  return true
}
