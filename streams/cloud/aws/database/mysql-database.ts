/**
 * A database with its owner on a MySQL server. Databases have no comment in MySQL: the attributes of the owner mark
 * both. So the owner is created first and dropped last.
 */
import { cloudFault } from '#streams/cloud/connector.ts'
import type { OutsideConnection } from '#streams/delivery/outbound-socket.ts'
import { lockedFault, lockOf, markOf, ownershipOf, takenFault } from './mark.ts'
import type { Names, OwnerSecret, Ownership } from './mark.ts'
import { numberOf, withMysql, type MysqlClient } from './mysql-server.ts'
import { inUse, type DatabaseServer } from './server.ts'

/** Maximum characters of a user in MySQL. */
const ownerMax = 32

/** @throws a `user_action` fault `name_too_long` */
export function checkMysqlOwner({ owner }: Pick<Names, 'owner'>): void {
  if (owner.length <= ownerMax) return
  throw cloudFault(
    'user_action',
    'name_too_long',
    `MySQL accepts at most ${ownerMax} characters for a user, got "${owner}".`,
    { fixHint: 'Choose a shorter name of the owner.' },
  )
}

/**
 * Each call sets a new password and returns it: the server generates it, so that it is in no statement and no log. A
 * call that was interrupted is completed by the next.
 * @throws a `user_action` fault `already_exists` before anything is created
 */
export async function createMysqlDatabase(
  server: DatabaseServer,
  options: OutsideConnection,
  names: Names,
): Promise<OwnerSecret> {
  const { name, owner } = names
  checkMysqlOwner(names)
  return withMysql(server, options, async (client) => {
    await lock(client, names)
    const before = await findBoth(client, names)
    if (before.owner === 'foreign') throw takenFault('user', owner)
    if (before.database === 'foreign') throw takenFault('database', name)
    const password = await (before.owner === 'ours' ? setPassword(client, names) : createOwner(client, names))
    if (before.database === 'none') await createDatabase(client, names)
    await client.query(`alter user ?@'%' attribute ?`, [owner, JSON.stringify({ database: name })])
    await client.query(`grant all privileges on ??.* to ?@'%'`, [await patternOf(client, name), owner])
    return { secrets: { [owner]: password } }
  })
}

/** Drops what is ours. Sessions of the owner are ended. */
export const dropMysqlDatabase = (server: DatabaseServer, options: OutsideConnection, names: Names): Promise<void> =>
  withMysql(server, options, async (client) => {
    await lock(client, names)
    const before = await findBoth(client, names)
    if (before.owner !== 'ours') return
    await endSessions(client, names, server.endSessionSql)
    if (before.database === 'ours') await client.query('drop database ??', [names.name])
    await checkDefines(client, names)
    await client.query(`drop user ?@'%'`, [names.owner])
  })

/** Held until the connection ends, so that two calls for a database never overlap. */
async function lock(client: MysqlClient, names: Names): Promise<void> {
  const [row] = await client.query<{ locked: number }>('select get_lock(?, 0) as locked', [lockOf(names)])
  if (row?.locked !== 1) throw lockedFault()
}

interface OwnerRow {
  host: string
  /** JSON. */
  attribute: string | null
}

/**
 * Between its creation and the entry in the attributes of its owner, a database of that name may be another's. So until
 * then it counts as ours only if it has no tables.
 */
async function findBoth(
  client: MysqlClient,
  { name, owner, token }: Names,
): Promise<Record<'owner' | 'database', Ownership>> {
  const owners = await client.query<OwnerRow>(
    'select host as host, attribute as attribute from information_schema.user_attributes where user = ?',
    [owner],
  )
  const [database] = await client.query<{ held: number }>(
    `select count(t.table_name) as held
     from information_schema.schemata s left join information_schema.tables t on t.table_schema = s.schema_name
     where s.schema_name = ? group by s.schema_name`,
    [name],
  )
  const [first] = owners
  const attributes = JSON.parse(first?.attribute ?? '{}') as { comment?: string; database?: string }
  const isOurs = owners.length === 1 && first?.host === '%' && attributes.comment === markOf({ token })
  const isMarked = attributes.database === name || database?.held === 0
  return { owner: ownershipOf(first, isOurs), database: ownershipOf(database, isOurs && isMarked) }
}

interface GeneratedRow {
  'generated password': string
}

const byGenerated = 'identified with caching_sha2_password by random password'

/** Created and marked in one statement. */
async function createOwner(client: MysqlClient, names: Names): Promise<string> {
  const [row] = await client.query<GeneratedRow>(`create user ?@'%' ${byGenerated} comment ?`, [
    names.owner,
    markOf(names),
  ])
  return row!['generated password']
}

async function setPassword(client: MysqlClient, { owner }: Names): Promise<string> {
  const [row] = await client.query<GeneratedRow>(`alter user ?@'%' ${byGenerated}`, [owner])
  return row!['generated password']
}

const databaseExists = 1007

/** @throws `already_exists` if another has just created it: then nothing of ours is left */
async function createDatabase(client: MysqlClient, { name, owner }: Names): Promise<void> {
  try {
    await client.query('create database ?? character set utf8mb4', [name])
  } catch (error) {
    if (numberOf(error) !== databaseExists) throw error
    await client.query(`drop user ?@'%'`, [owner])
    throw takenFault('database', name)
  }
}

/** In a grant `_` stands for any character, except on servers that revoke privileges partially. */
async function patternOf(client: MysqlClient, name: string): Promise<string> {
  const [row] = await client.query<{ isLiteral: number }>('select @@partial_revokes as isLiteral')
  return row?.isLiteral === 1 ? name : name.replaceAll('_', String.raw`\_`)
}

const noSuchSession = 1094

/** The owner can no longer sign in. Clouds have procedures of their own to end the sessions of others. */
async function endSessions(
  client: MysqlClient,
  { owner }: Names,
  endSessionSql = 'call mysql.rds_kill(?)',
): Promise<void> {
  await client.query(`alter user ?@'%' account lock`, [owner])
  const sessions = await client.query<{ id: number }>(
    'select id as id from information_schema.processlist where user = ?',
    [owner],
  )
  for (const { id } of sessions)
    await client.query(endSessionSql, [id]).catch((error: unknown) => {
      if (numberOf(error) !== noSuchSession) throw error
    })
}

/** Routines, views, triggers and events run with the rights of their definer, and fail without it. */
async function checkDefines(client: MysqlClient, { owner }: Names): Promise<void> {
  const [row] = await client.query<{ held: number }>(
    `select count(*) as held from (
       select definer from information_schema.routines union all select definer from information_schema.views
       union all select definer from information_schema.triggers union all select definer from information_schema.events
     ) as defined where definer = ?`,
    [`${owner}@%`],
  )
  const { bucket, code, fixHint } = inUse
  if (row?.held)
    throw cloudFault(bucket, code, `The user ${owner} still defines ${row.held} objects in other databases.`, {
      fixHint,
    })
}
