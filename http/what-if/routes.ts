/** What-if questions: replays the past with changed parameters, by the same rules. */
import { t } from '#engine/value/schema.ts'
import { route, type Route } from '#http/edge/route.ts'
import { Body, kindOf, kinds, rangeGiven } from '#http/what-if/body.ts'
import { runWhatIf } from '#http/what-if/concurrency.ts'
import { reachOfReport } from '#http/report/comparison/settled-days.ts'

/** The responses of all kinds; `kind` tells which one it is. */
const replies = kinds.map(({ name, reply, answered: shown }) =>
  t.Object(
    { ...reply.properties, tookMs: t.Integer({ description: 'response time in milliseconds' }) },
    { title: `${name.charAt(0).toUpperCase()}${name.slice(1)}WhatIf`, examples: [{ ...shown, tookMs: 320 }] },
  ),
)

export const whatIf: readonly Route[] = [
  route({
    method: 'POST',
    path: '/what-if',
    readOnly: true,
    summary: 'Replay past days with other settings; nothing is stored or changed',
    description: `${kinds.map(({ name, summary }) => `kind ${name}: ${summary}.`).join(' ')} Before and after are computed in the same way, before with the current settings. One at a time per organization, and per user over all their organizations (otherwise 429), two per process and at most 30 seconds (otherwise 503).`,
    permission: 'service.view',
    tags: ['What-if'],
    body: Body,
    reply: t.Union(replies as [(typeof replies)[number]]),
    refuses: { 404: ['not_found'], 422: ['report_too_large', 'too_large'] },
    handle: async ({ caller, body }, services) => {
      const kind = kindOf(body)
      const isEndKnown = kind.untilToday === true || body.to !== undefined
      const reach = isEndKnown ? undefined : await reachOfReport(caller, {}, '', services)
      const range = rangeGiven(body, services.now(), kind, reach?.settledThrough ?? undefined)
      return runWhatIf(caller, (goOn, signal) =>
        kind.answer({ caller, ...range, change: body.change as never, services, goOn, signal }),
      )
    },
  }),
]
