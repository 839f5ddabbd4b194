/** A database with its owner on a PostgreSQL server. Comments mark both. */
import type pg from 'pg'
import type { OutsideConnection } from '#streams/delivery/outbound-socket.ts'
import { lockedFault, lockOf, markOf, newPassword, ownershipOf, takenFault } from './mark.ts'
import type { Names, OwnerSecret, Ownership } from './mark.ts'
import { withPostgres } from './postgres-server.ts'
import { scramVerifier } from './scram.ts'
import type { DatabaseServer } from './server.ts'

/**
 * Each call sets a new password and returns it. A call that was interrupted is completed by the next.
 * @throws a `user_action` fault `already_exists` before anything is created
 */
export const createPostgresDatabase = (
  server: DatabaseServer,
  options: OutsideConnection,
  names: Names,
): Promise<OwnerSecret> =>
  withPostgres(server, options, async (client) => {
    await lock(client, names)
    const before = await findBoth(client, names)
    if (before.owner === 'foreign') throw takenFault('user', names.owner)
    if (before.database === 'foreign') throw takenFault('database', names.name)
    const password = newPassword()
    await (before.owner === 'ours' ? setPassword(client, names, password) : createOwner(client, names, password))
    if (before.database === 'none') await execute(client, 'create database %I owner %I', names.name, names.owner)
    await execute(client, 'comment on database %I is %L', names.name, markOf(names))
    await execute(client, 'revoke all on database %I from public', names.name)
    return { secrets: { [names.owner]: password } }
  })

/** Drops what is ours. Sessions in the database are ended. */
export const dropPostgresDatabase = (server: DatabaseServer, options: OutsideConnection, names: Names): Promise<void> =>
  withPostgres(server, options, async (client) => {
    await lock(client, names)
    const before = await findBoth(client, names)
    if (before.database === 'ours') await execute(client, 'drop database %I with (force)', names.name)
    if (before.owner === 'ours') await execute(client, 'drop role %I', names.owner)
  })

/** Held until the connection ends, so that two calls for a database never overlap. */
async function lock(client: pg.Client, names: Names): Promise<void> {
  const { rows } = await client.query<{ locked: boolean }>(
    'select pg_try_advisory_lock(hashtextextended($1, 0)) as locked',
    [lockOf(names)],
  )
  if (!rows[0]?.locked) throw lockedFault()
}

/**
 * A database cannot be created and marked at once: between the two it has no comment, but an owner that only our job
 * can have created.
 */
async function findBoth(client: pg.Client, names: Names): Promise<{ owner: Ownership; database: Ownership }> {
  const { rows } = await client.query<{ what: 'owner' | 'database'; mark: string | null; ofOwner: boolean }>(
    `select 'owner' as what, shobj_description(oid, 'pg_authid') as mark, false as "ofOwner"
     from pg_roles where rolname = $1
     union all
     select 'database', shobj_description(oid, 'pg_database'), pg_get_userbyid(datdba) = $1
     from pg_database where datname = $2`,
    [names.owner, names.name],
  )
  const [owner, database] = (['owner', 'database'] as const).map((what) => rows.find((row) => row.what === what))
  const isMarked = (row?: { mark: string | null }): boolean => row?.mark === markOf(names)
  const isHalf = isMarked(owner) && database?.mark === null && database.ofOwner
  return { owner: ownershipOf(owner, isMarked(owner)), database: ownershipOf(database, isMarked(database) || isHalf) }
}

/** Created and marked in one transaction. Only a member of a role may create a database for it. */
async function createOwner(client: pg.Client, names: Names, password: string): Promise<void> {
  await client.query('begin')
  await execute(client, 'create role %I login password %L', names.owner, scramVerifier(password))
  await execute(client, 'comment on role %I is %L', names.owner, markOf(names))
  await execute(client, 'grant %I to current_user', names.owner)
  await client.query('commit')
}

const setPassword = (client: pg.Client, { owner }: Names, password: string): Promise<void> =>
  execute(client, 'alter role %I login password %L', owner, scramVerifier(password))

/** The server itself quotes names and texts: `%I` and `%L`, in the order of `values`. */
async function execute(client: pg.Client, template: string, ...values: string[]): Promise<void> {
  const { rows } = await client.query<{ statement: string }>('select format($1, variadic $2::text[]) as statement', [
    template,
    values,
  ])
  await client.query(rows[0]!.statement)
}
