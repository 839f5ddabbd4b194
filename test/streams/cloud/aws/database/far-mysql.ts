/**
 * A stand-in for MySQL 8.4 in RDS, written from the reference manual: users with attributes, databases, grants with
 * patterns, named locks, and the procedure of RDS that ends sessions. Statements it does not know are refused.
 */
import { randomBytes } from 'node:crypto'
import { createConnection } from 'mysql2/promise'
import { administrator, authority, host, type FarServer } from './far-server.ts'
import { listenMysql, type MysqlAnswer, type MysqlBackend, type MysqlRefusal, type MysqlSession } from './mysql-wire.ts'

interface User {
  password: string
  attributes: Record<string, unknown> | null
  isLocked: boolean
  grants: Set<string>
  /** Objects that it defines. */
  defines: number
}

export interface FarMysql extends FarServer {
  engine: 'mysql'
  /** Tables by database. */
  databases: Map<string, string[]>
  /** All statements so far. */
  statements: string[]
  /** Whether it is an earlier version, which has no attributes. */
  isOld: boolean
  isPartial: boolean
  /** Answers the next statement that begins so in place of the server. */
  refuseNext: (start: string, number: number) => void
  sessionsOf: (user: string) => number
}

const refusal = (number: number, message = 'refused', state = 'HY000'): MysqlRefusal => ({ number, state, message })
const table = (columns: string[], ...rows: (string | number | null)[][]): MysqlAnswer => ({ columns, rows })

/** As a grant does: `_` and `%` are wildcards unless a backslash precedes them. */
const covers = (pattern: string, database: string): boolean =>
  new RegExp(
    `^${pattern.replaceAll(/\\_|\\%|_|%/g, (found) => ({ _: '.', '%': '.*' })[found] ?? found.slice(1))}$`,
  ).test(database)

class Mysql implements MysqlBackend {
  readonly users = new Map<string, User>()
  readonly databases = new Map<string, string[]>()
  readonly statements: string[] = []
  readonly sessions = new Set<MysqlSession>()
  private readonly locks = new Map<string, MysqlSession>()
  isOld = false
  isPartial = false
  planned: { start: string; number: number } | undefined

  refuse(user: string, password: string, database: string): MysqlRefusal | undefined {
    const { user: admin, password: right } = administrator
    if (user === admin && password === right) return undefined
    const known = this.users.get(user)
    if (!known || known.password !== password) return refusal(1045, `Access denied for user '${user}'`, '28000')
    if (known.isLocked) return refusal(3118, 'Account is locked.')
    const isOpen = (pattern: string) => (this.isPartial ? pattern === database : covers(pattern, database))
    return [...known.grants].some(isOpen) ? undefined : refusal(1044, 'Access denied')
  }

  begin(session: MysqlSession): void {
    this.sessions.add(session)
  }

  over(session: MysqlSession): void {
    this.sessions.delete(session)
    for (const [name, holder] of this.locks) if (holder === session) this.locks.delete(name)
  }

  answer(session: MysqlSession, statement: string): MysqlAnswer {
    this.statements.push(statement)
    if (session.user !== administrator.user) return refusal(1142, 'command denied', '42000')
    if (this.planned && statement.startsWith(this.planned.start)) {
      const { number } = this.planned
      this.planned = undefined
      return refusal(number)
    }
    for (const [pattern, carryOut] of this.known) {
      const found = pattern.exec(statement)
      if (found) return carryOut(found.slice(1), session)
    }
    return refusal(1064, `You have an error in your SQL syntax near '${statement}'`, '42000')
  }

  private readonly known: readonly (readonly [RegExp, (words: string[], session: MysqlSession) => MysqlAnswer])[] = [
    [/^set session sql_mode = '', generated_random_password_length = 32, /, () => (this.isOld ? refusal(1193) : 'ok')],
    [/^select get_lock\('([^']+)', 0\) as locked$/, ([name], session) => this.lock(name!, session)],
    [/from information_schema\.user_attributes where user = '(\w+)'$/, ([name]) => this.attributes(name!)],
    [
      /^select count\(t\.table_name\) as held[^]* where s\.schema_name = '(\w+)' group by s\.schema_name$/,
      ([name]) => {
        const tables = this.databases.get(name!)
        return table(['held'], ...(tables ? [[tables.length]] : []))
      },
    ],
    [
      /^create user '(\w+)'@'%' identified with caching_sha2_password by random password comment '([^']+)'$/,
      (words) => this.create(words),
    ],
    [/^create role (\w+)$/, ([name]) => this.createRole(name!)],
    [
      /^alter user '(\w+)'@'%' identified with caching_sha2_password by random password$/,
      ([name]) => this.alter(name!, (user) => this.generated(name!, user)),
    ],
    [
      /^alter user '(\w+)'@'%' attribute '([^]+)'$/,
      ([name, json]) =>
        this.alter(name!, (user) => {
          user.attributes = { ...user.attributes, ...(JSON.parse(json!.replaceAll('\\"', '"')) as object) }
          return 'ok'
        }),
    ],
    [
      /^alter user '(\w+)'@'%' account lock$/,
      ([name]) =>
        this.alter(name!, (user) => {
          user.isLocked = true
          return 'ok'
        }),
    ],
    [
      /^create database `?(\w+)`?( character set utf8mb4)?$/,
      ([name]) => {
        if (this.databases.has(name!)) return refusal(1007, `Can't create database '${name}'; database exists`)
        this.databases.set(name!, [])
        return 'ok'
      },
    ],
    [/^select @@partial_revokes as isLiteral$/, () => table(['isLiteral'], [this.isPartial ? 1 : 0])],
    [
      /^grant all privileges on `([\w\\]+)`\.\* to '(\w+)'@'%'$/,
      ([pattern, name]) =>
        this.alter(name!, (user) => {
          user.grants.add(pattern!)
          return 'ok'
        }),
    ],
    [
      /from information_schema\.processlist where user = '(\w+)'$/,
      ([name]) => table(['id'], ...[...this.sessions].filter(({ user }) => user === name).map(({ id }) => [id])),
    ],
    [/^call mysql\.(?:rds|az)_kill\((\d+)\)$/, ([id]) => this.kill(Number(id))],
    [
      /^drop database `?(\w+)`?$/,
      ([name]) => (this.databases.delete(name!) ? 'ok' : refusal(1008, `Can't drop database '${name}'`)),
    ],
    [/ as defined where definer = '(\w+)@%'$/, ([name]) => table(['held'], [this.users.get(name!)?.defines ?? 0])],
    [/^drop (?:user|role) '?(\w+)'?(?:@'%')?$/, ([name]) => (this.users.delete(name!) ? 'ok' : refusal(1396))],
  ]

  private lock(name: string, session: MysqlSession): MysqlAnswer {
    const isFree = !this.locks.has(name)
    if (isFree) this.locks.set(name, session)
    return table(['locked'], [isFree ? 1 : 0])
  }

  private attributes(name: string): MysqlAnswer {
    if (this.isOld) return refusal(1109, `Unknown table 'USER_ATTRIBUTES' in information_schema`, '42S02')
    const user = this.users.get(name)
    const json = user?.attributes ? JSON.stringify(user.attributes) : null
    return table(['host', 'attribute'], ...(user ? [['%', json]] : []))
  }

  private create([name, comment]: readonly string[]): MysqlAnswer {
    if (this.users.has(name!)) return refusal(1396, `Operation CREATE USER failed for '${name}'@'%'`)
    const user = { password: '', attributes: { comment }, isLocked: false, grants: new Set<string>(), defines: 0 }
    this.users.set(name!, user)
    return this.generated(name!, user)
  }

  private createRole(name: string): MysqlAnswer {
    this.users.set(name, { password: '', attributes: null, isLocked: true, grants: new Set(), defines: 0 })
    return 'ok'
  }

  private alter(name: string, change: (user: User) => MysqlAnswer): MysqlAnswer {
    const user = this.users.get(name)
    return user ? change(user) : refusal(1396, `Operation ALTER USER failed for '${name}'@'%'`)
  }

  private generated(name: string, user: User): MysqlAnswer {
    user.password = randomBytes(24).toString('base64')
    return table(['user', 'host', 'generated password', 'auth_factor'], [name, '%', user.password, 1])
  }

  private kill(id: number): MysqlAnswer {
    const session = [...this.sessions].find((one) => one.id === id)
    if (!session) return refusal(1094, `Unknown thread id: ${id}`)
    session.end()
    return 'ok'
  }
}

export async function farMysql(): Promise<FarMysql> {
  const mysql = new Mysql()
  const { port, close } = await listenMysql(mysql)
  const root: MysqlSession = { id: 0, user: administrator.user, end: () => {} }
  const { users, databases, statements } = mysql
  const connectAs = (database: string, user: string, password: string) =>
    createConnection({
      host: '127.0.0.1',
      port,
      database,
      user,
      password,
      ssl: { ca: authority, verifyIdentity: false },
    })
  return {
    engine: 'mysql',
    port,
    databases,
    statements,
    get isOld() {
      return mysql.isOld
    },
    set isOld(value) {
      mysql.isOld = value
    },
    get isPartial() {
      return mysql.isPartial
    },
    set isPartial(value) {
      mysql.isPartial = value
    },
    refuseNext: (start, number) => {
      mysql.planned = { start, number }
    },
    sessionsOf: (user) => [...mysql.sessions].filter((one) => one.user === user).length,
    contents: async () => {
      const isOf = (database: string) =>
        [...users.values()].find(({ attributes }) => attributes?.['database'] === database)
      const markOf = (user?: User) => (user?.attributes?.['comment'] as string | undefined) ?? null
      return Object.fromEntries([
        ...[...databases.keys()].map((name) => [`database ${name}`, markOf(isOf(name))] as const),
        ...[...users].map(([name, user]) => [`role ${name}`, markOf(user)] as const),
      ])
    },
    query: async (statement) => {
      const answer = mysql.answer(root, statement)
      if (answer !== 'ok' && 'number' in answer) throw new Error(`${host}: ${answer.message}`)
    },
    signIn: async (database, user, password) => {
      const connection = await connectAs(database, user, password).catch(() => undefined)
      connection?.on('error', () => {})
      return connection ? (connection.destroy(), true) : false
    },
    entangle: async (role) => {
      users.get(role)!.defines = 1
      return async () => void (users.get(role)!.defines = 0)
    },
    stop: async () => close(),
  }
}
