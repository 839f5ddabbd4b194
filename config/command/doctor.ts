import type { Check } from '#http/health.ts'
import type { Command } from '#config/command/command.ts'
import { withInstance } from '#config/instance.ts'
import { readiness } from '#config/readiness.ts'
import { version } from '#config/version.ts'

export const doctor: Command = {
  name: 'doctor',
  summary: 'Check the stores, the streams and the lanes, and say what is wrong',
  usage: 'tidemark doctor',
  options: {},
  about: {},
  run: () =>
    withInstance(async ({ connections, isRunning, url, settings }) => {
      const checks: Check[] = [
        { name: 'node', ok: Number(process.versions.node.split('.')[0]) >= 24, version: process.versions.node },
      ]
      checks.push(...(await readiness(connections)()).filter(({ name }) => isRunning || name !== 'lanes'))
      const backlog = await connections.store.pool.query(
        `select (select count(*) from outbox)::int as outbox, (select count(*) from mark)::int as marks,
           (select count(*) from effect)::int as effects, (select count(*) from dead_letter where replayed_at is null)::int as dead`,
      )
      const waiting = backlog.rows[0] as Record<string, number>
      const isWell = checks.every(({ ok }) => ok)
      const lines = [
        `tidemark ${version}, data folder ${settings.dataDir}, ${isRunning ? `running${url ? ` at ${url}` : ''}` : 'not running'}`,
        ...checks.map((c) => `${c.ok ? 'ok  ' : 'BAD '} ${c.name} ${c.version ?? ''} ${c.message ?? ''}`.trimEnd()),
        `waiting: ${waiting['outbox']} outbox rows, ${waiting['marks']} days to add up, ${waiting['effects']} calls; dead letters: ${waiting['dead']}`,
      ]
      return {
        data: { version, isRunning, url, ok: isWell, checks, waiting },
        text: lines.join('\n'),
        code: isWell ? 0 : 1,
      }
    }),
}
