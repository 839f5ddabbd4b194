import { expect } from 'chai'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { runText } from '#config/command/cost/export-schedule.ts'
import { commands } from '#config/command/index.ts'
import { table } from '#config/command/line/table.ts'
import { inProcess } from '#test/harness/command-line.ts'
import { deepIt, isDeep } from '#test/harness/tier.ts'

const main = path.resolve(import.meta.dirname, '..', '..', 'config', 'main.ts')

interface Ended {
  status: number | null
  stdout: string
  stderr: string
}

/** Runs the command line as a shell would, without a data folder: nothing here may need a store. */
function inShell(...args: string[]): Ended {
  const env = { ...process.env, TIDEMARK_DATA_DIR: '/nonexistent/of/tests' }
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...args], { env, encoding: 'utf8' })
  return { status, stdout, stderr }
}

/** The same within this process, which a process of its own takes a hundred times as long for. */
async function tidemark(...args: string[]): Promise<Ended> {
  const { code: status, ...told } = await inProcess(
    { ...process.env, TIDEMARK_DATA_DIR: '/nonexistent/of/tests' },
    ...args,
  )
  return { status, ...told }
}

describe('the command line', () => {
  it('lists every command, asked for help or for nothing', async () => {
    const { status, stdout, stderr } = await tidemark('help')
    expect([status, stderr]).to.deep.equal([0, ''])
    const lines = stdout.trimEnd().split('\n')
    expect(lines.length).to.be.at.most(75)
    expect(lines).to.not.include('Other')
    for (const { name } of commands) {
      // Commands of a group that is a command itself have lines of their own.
      if (lines.some((one) => one.startsWith(`  ${name} `))) continue
      const [group = '', verb] = name.split(' ')
      const [line] = lines.filter((one) => new RegExp(`^ {2}(?:\\S+\\|)*${group}(?: |\\|)`).test(one))
      expect(line, name).to.match(new RegExp(`[ ,]${verb ?? ''}(?:,|$| )`))
    }
    // In `npm test` one command alone is a process: the one below that fails.
    if (isDeep) expect(inShell()).to.deep.equal({ status, stdout, stderr })
  })

  it('has its commands in the documents, as help prints them', async () => {
    const page = readFileSync(path.resolve(main, '../../docs/command-line.md'), 'utf8')
    const [, block] = /<!-- commands -->\n```text\n([^]*?)```\n<!-- \/commands -->/.exec(page) ?? []
    expect(block).to.equal((await tidemark('help')).stdout)
  })

  const names = commands.map(({ name }) => name)
  for (const group of new Set(names.filter((name) => name.includes(' ')).map((name) => name.split(' ')[0]!))) {
    if (names.includes(group)) continue
    it(`lists the commands of ${group}, asked for help or for nothing`, async () => {
      const own = commands.filter(({ name }) => name.startsWith(`${group} `))
      const { status, stdout, stderr } = await tidemark(group, '--help')
      expect([status, stderr]).to.deep.equal([0, ''])
      const listed = stdout.split('\n').filter((line) => line.startsWith('  '))
      expect(listed).to.deep.equal(own.map(({ name, summary }) => `  ${name.padEnd(20)} ${summary}`))
      expect(await tidemark(group)).to.deep.equal({ status, stdout, stderr })
    })
  }

  it('prints tables whose columns are as wide as they need', () => {
    const rows = [
      ['i-1', 12, null],
      ['i-1000', 3, 'web'],
    ]
    expect(table(['ID', 'DAYS', 'NAME'], rows, 'None.')).to.equal(
      'ID      DAYS  NAME\ni-1     12    -\ni-1000  3     web',
    )
    expect(table(['ID'], [], 'None.')).to.equal('None.')
  })

  it('takes nouns in the singular and in the plural, and help before a command', async () => {
    const asked = await tidemark('schedule', 'list', '--help')
    for (const same of [
      ['schedules', 'list', '--help'],
      ['help', 'schedule', 'list'],
      ['help', 'schedules', 'list'],
    ])
      expect(await tidemark(...same)).to.deep.equal(asked)
    expect((await tidemark('recommendation', 'list', '--help')).stdout).to.contain(
      'Usage: tidemark recommendations list',
    )
    expect((await tidemark('policies', 'list', '--help')).stdout).to.contain('Usage: tidemark policy list')
  })

  it('finds each command by its own name, also if another differs only by a plural s', async () => {
    for (const { name, usage } of commands)
      expect((await tidemark(...name.split(' '), '--help')).stdout, name).to.contain(`Usage: ${usage}\n`)
    expect((await tidemark('export-schedules', 'runs', '--help')).stdout).to.contain(
      'Usage: tidemark export-schedule runs ',
    )
  })

  // All are printed the same way: the one without options of its own, and the one with most.
  for (const { name, usage, about } of commands.filter(({ name }) => ['start', 'ingest billing'].includes(name))) {
    it(`tells what ${name} takes`, async () => {
      const { status, stdout } = await tidemark(...name.split(' '), '--help')
      expect(status).to.equal(0)
      expect(stdout).to.contain(`Usage: ${usage}`)
      for (const option of [...Object.keys(about), '--json']) expect(stdout).to.contain(`\n  ${option}`)
    })
  }

  const wrong: Record<string, [string[], number, string]> = {
    'an unknown command': [['frob'], 2, 'Unknown command: frob\nRun "tidemark help" to see all commands.'],
    'a mistyped command': [['doctr'], 2, 'Unknown command: doctr\nDid you mean "tidemark doctor"?'],
    'half a command': [['org', 'frob'], 2, 'Unknown command: org frob\ntidemark org create NAME'],
    'a mistyped half of a command': [
      ['orgs', 'lst'],
      2,
      'Unknown command: orgs lst\nDid you mean "tidemark org list"?',
    ],
    'an unknown option': [['doctor', '--wrong'], 2, 'Unknown option --wrong. Run "tidemark doctor --help"'],
    'a mistyped option': [['bill', 'list', '--acount', 'a'], 2, 'Unknown option --acount. Did you mean --account?'],
    'an option without its value': [
      ['bill', 'list', '--org', '--account', 'a'],
      2,
      '--org needs a value. Usage: tidemark bill',
    ],
    'a value of a flag': [['org', 'list', '--json=1'], 2, '--json takes no value.'],
    'an argument too many': [['org', 'create', 'A', 'B'], 2, 'Unexpected argument: B'],
    'a name that is missing': [['org', 'create'], 2, 'NAME is missing'],
    'an end that is none': [['pat', 'create', '--org', 'o', '--days', '0'], 2, '--days must be a whole number from 1'],
    'a role that is none': [['pat', 'create', '--org', 'o', '--role', 'king'], 2, '--role must be one of owner'],
    'an address that is none': [['user', 'create', 'ana@example'], 2, 'ana@example is not a valid email address'],
    'an address that no request could have': [
      ['user', 'create', `ana@${'x'.repeat(247)}.com`],
      2,
      'is not a valid email address',
    ],
    'a password of seven characters': [
      ['user', 'create', 'ana@example.com', '--password', '1234567'],
      2,
      '--password must have 8 to 128 characters',
    ],
    'a schedule that names no organization': [['schedule', 'list'], 2, '--org is missing'],
    'a schedule without a time': [
      ['schedule', 'create', '--org', 'o', '--name', 'Night', '--zone', 'UTC'],
      2,
      '--stop or --start is missing',
    ],
    'a schedule with two wrong times': [
      [
        'schedule',
        'create',
        '--org',
        'o',
        '--name',
        'N',
        '--zone',
        'UTC',
        '--start',
        '61 7 * * *',
        '--stop',
        '0 25 * * *',
      ],
      2,
      `--stop '0 25 * * *' (/rules/0/cron): hour: "25" is not 0 to 23; --start '61 7 * * *' (/rules/1/cron): minute: "61" is not 0 to 59`,
    ],
    'a zone that is none': [
      ['schedule', 'create', '--org', 'o', '--name', 'Night', '--zone', 'Berlin', '--stop', '0 20 * * *'],
      2,
      '/timezone: is not an IANA time zone, such as Europe/Berlin',
    ],
    'a name that is too long': [
      ['schedule', 'create', '--org', 'o', '--name', 'x'.repeat(101), '--zone', 'UTC', '--stop', '0 20 * * *'],
      2,
      '/name: must not have more than 100 characters',
    ],
    'a count that is none': [
      ['schedule', 'next', '--org', 'o', '--id', 's', '--count', '101'],
      2,
      '--count must be a whole number from 1 to 100',
    ],
    'an hour of no day': [
      ['export-schedule', 'create', '--org', 'o', '--name', 'W', '--to', 's3://b/p', '--hour', '24'],
      2,
      '--hour must be a whole number from 0 to 23',
    ],
    'an action on nothing': [['action', 'stop', '--org', 'o'], 2, '--resource is missing'],
    'a policy that names no organization': [['policy', 'list'], 2, '--org is missing'],
    'a policy without a file': [['policy', 'apply', '--org', 'o'], 2, 'FILE is missing'],
    'a file of a policy that is not there': [
      ['policy', 'apply', '/nonexistent.json', '--org', 'o'],
      2,
      'There is no file /nonexistent.json.',
    ],
    'a file of something else': [
      ['policy', 'preview', path.resolve(import.meta.dirname, '..', 'times.json'), '--org', 'o'],
      2,
      'domain must be one of tagging, allocation, shared-cost',
    ],
    'a suggestion of nothing': [['tag', 'accept', '--org', 'o'], 2, '--resource is missing'],
    'tags in no known state': [
      ['tag', 'smart', '--org', 'o', '--status', 'rejected'],
      2,
      '--status must be one of pending, accepted',
    ],
    'a list without end': [
      ['action', 'list', '--org', 'o', '--limit', '0'],
      2,
      '--limit must be a whole number from 1 to 1000',
    ],
    'a file that is not there': [
      ['ingest', 'billing', '/nonexistent.csv', '--org', 'o', '--account', 'a'],
      1,
      'File /nonexistent.csv was not found.',
    ],
  }
  for (const [what, [args, status, message]] of Object.entries(wrong)) {
    it(`refuses ${what}, saying so on stderr, before it opens a store`, async () => {
      const ended = await tidemark(...args)
      expect([ended.status, ended.stdout]).to.deep.equal([status, ''])
      expect(ended.stderr).to.contain(message)
    })
  }

  it('names the months that an export run under way does not contain', () => {
    expect(runText({ runID: 'r-1', omittedMonths: [] })).to.equal('r-1  started')
    expect(runText({ runID: 'r-1', omittedMonths: ['2025-02', '2025-03'] })).to.equal(
      'r-1  is another run that is under way; it does not contain 2025-02, 2025-03. Run this command again when it has ended.',
    )
  })

  it('prints the rights of analysts from the tables and views there are: the file to deploy is that', async () => {
    const { status, stdout, stderr } = await tidemark('analyst', 'rights')
    expect([status, stderr]).to.deep.equal([0, ''])
    expect(stdout).to.equal(readFileSync(path.resolve(main, '../deploy/clickhouse-analyst.sql'), 'utf8'))
  })

  deepIt('says what was wrong as one JSON object on stdout with --json', () => {
    const { status, stdout } = inShell('org', 'create', '--json')
    expect(status).to.equal(2)
    expect(JSON.parse(stdout)).to.deep.equal({
      error: { code: 'failed', message: 'NAME is missing. Usage: tidemark org create NAME' },
    })
  })
})
