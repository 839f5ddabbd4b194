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

/**
 * Takes what a host says of an installation, in a transaction of `em` that sees all organizations: each delivery once, and nothing of
 * one that is gone, in whatever order deliveries come.
 */
export async function hearInstallation(
  em: EntityManager,
  said: InstallationEvent,
  deliveryId: string,
  at: Date,
): Promise<'accepted' | 'duplicate' | 'ignored'> {
  const { installationId, account, change } = said
  await locked(em, installationId)
  if (!(await remembered(em, installationId, deliveryId, at))) return 'duplicate'
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
  return 'accepted'
}

/** Whether the delivery is heard for the first time. */
async function remembered(em: EntityManager, installationId: string, id: string, at: Date): Promise<boolean> {
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
      `insert into source_repository (installation_id, id, org_id, full_name, url)
       select distinct on (one.id) i.id, one.id, i.org_id, one."fullName", one.url
       from source_installation as i, jsonb_to_recordset(?::jsonb) as one(id text, "fullName" text, url text) where i.id = ?
       on conflict (installation_id, id) do update set full_name = excluded.full_name, url = excluded.url, org_id = excluded.org_id`,
      [JSON.stringify(part), id],
    )
  }
}

export interface Claim {
  orgId: string
  id: string
  /** Whose the installation is, as its host calls them. */
  account: string | undefined
}

/**
 * Gives an installation to an organization, in a transaction of `em` that sees all of them: to the first that asks for one that its host
 * has told of and names its account. Asked again by the same one, nothing happens; whether it is new.
 * @throws Fault `missing`, and nothing else, for one that no signed webhook has told of, that is gone, another organization's or another
 * account's: numbers can be guessed
 */
export async function linkInstallation(em: EntityManager, { orgId, id, account }: Claim, at: Date): Promise<boolean> {
  await locked(em, id)
  const found = await em.findOne(SourceInstallation, { id, goneAt: null }, { refresh: true })
  if (found?.orgId === orgId) return false
  if (!found || found.orgId !== '' || !(await isNamed(em, found, account))) throw Fault.missing('installation', id)
  await give(em, id, orgId, at)
  return true
}

/** Where there is one organization alone nobody can take it from another; where its host named no account there is none to name. */
async function isNamed(
  em: EntityManager,
  { account }: SourceInstallation,
  given: string | undefined,
): Promise<boolean> {
  if (account === '') return true
  if (given !== undefined) return given.toLowerCase() === account.toLowerCase()
  const organizations = await em.execute<object[]>('select from organization limit 2')
  return organizations.length === 1
}

/**
 * Takes an installation from its organization, so that another one can link it.
 * @throws Fault `missing` for one that is not the organization's
 */
export async function unlinkInstallation(em: EntityManager, orgId: string, id: string): Promise<void> {
  await locked(em, id)
  if ((await em.count(SourceInstallation, { id, orgId })) === 0) throw Fault.missing('installation', id)
  await give(em, id, '', null)
}

async function give(em: EntityManager, id: string, orgId: string, linkedAt: Date | null): Promise<void> {
  await em.nativeUpdate(SourceInstallation, { id }, { orgId, linkedAt })
  await em.nativeUpdate(SourceRepository, { installationId: id }, { orgId })
}
