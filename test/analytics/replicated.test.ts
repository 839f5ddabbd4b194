import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { toReplicated } from '#analytics/store/replicated.ts'
import { withoutComments } from '#engine/store/migrate.ts'
import { root } from '#config/process/root.ts'

const folder = path.join(root, 'analytics/tables')
const statements = readdirSync(folder)
  .toSorted()
  .map((name) => withoutComments(readFileSync(path.join(folder, name), 'utf8')))
const creating = statements.filter((sql) => sql.startsWith('CREATE TABLE'))

describe('tables that several ClickHouse servers store', () => {
  it('have the engine and the window of replicated ones, and are otherwise as their files say', () => {
    expect(
      toReplicated(
        'CREATE TABLE a\n(\n)\nENGINE = ReplacingMergeTree(x)\nORDER BY b\nSETTINGS non_replicated_deduplication_window = 0',
      ),
    ).to.equal(
      'CREATE TABLE a\n(\n)\nENGINE = ReplicatedReplacingMergeTree(x)\nORDER BY b\nSETTINGS replicated_deduplication_window = 0',
    )
    const others = statements.filter((sql) => !sql.startsWith('CREATE TABLE'))
    expect(others.map(toReplicated)).to.deep.equal(others)
    expect(
      creating.map(toReplicated).filter((sql) => !/^ENGINE = ReplicatedReplacingMergeTree\(/m.test(sql)),
    ).to.deep.equal([])
  })

  it('are created from these statements by an engine, which also reads those that need tables to change', function () {
    this.timeout(60_000)
    // Some copy the columns of a table that others have changed; tables without other servers cannot be changed.
    const [copying, complete] = [true, false].map((is) => creating.filter((sql) => / AS \w+$/m.test(sql) === is))
    const changing = statements.filter((sql) => !sql.startsWith('CREATE TABLE'))
    const read = [...copying!, ...changing].map((sql) => `EXPLAIN AST ${toReplicated(sql)}`)
    const input = [...complete!.map(toReplicated), ...read].map((sql) => JSON.stringify(sql)).join('\n')
    const script = path.join(root, 'test/harness/replicated-tables.ts')
    const args = ['--disable-warning=ExperimentalWarning', script]
    const { stdout, stderr } = spawnSync(process.execPath, args, { input, encoding: 'utf8' })
    expect(JSON.parse(stdout || JSON.stringify(stderr))).to.deep.equal({
      errors: [],
      engines: [`ReplicatedReplacingMergeTree\t${complete!.length}`],
    })
    expect(complete!.length).to.be.above(40)
  })
})
