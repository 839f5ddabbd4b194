/**
 * Entry point of a replay thread: takes sheets, one type after the other, and returns what both sides would have found.
 */
import { dayMs } from '#engine/value/day.ts'
import { serve } from '#engine/run/worker.ts'
import { ReferenceTables } from '#actors/recommendation/reference/tables.ts'
import { Replayer, type Sheet } from './replay.ts'
import { sideOf, type ReplayAsked, type SheetBatch } from './request.ts'
import { count, emptyPart } from './compare.ts'
import type { SheetResource } from '#actors/recommendation/audit/fact-sheet.ts'

type Row = [
  account: string,
  uid: string,
  at: number[],
  layout: number[],
  resources: string[],
  facts: string[][],
  found: string[],
]

const nothingFound: Sheet['found'] = {}

/** The sheets of one resource, oldest first, one for each day. In a row, `=` repeats the value before it. */
function sheetsOf([, , at, layout, resources, facts, found]: Row, { paths, orders }: SheetBatch): Sheet[] {
  let resource = {} as SheetResource
  let findings = nothingFound
  const sheets = at.map((moment, n): Sheet => {
    if (resources[n] !== '=') resource = JSON.parse(resources[n]!) as SheetResource
    if (found[n] !== '=') findings = found[n] === '' ? nothingFound : (JSON.parse(found[n]!) as typeof nothingFound)
    return { at: moment, resource, facts: orderFacts(facts[n]!, paths, orders[layout[n]! - 1]!), found: findings }
  })
  const isRising = at.every((moment, n) => n === 0 || dayNumber(at[n - 1]!) < dayNumber(moment))
  if (isRising) return sheets
  const byDay = new Map<number, Sheet>()
  for (const sheet of sheets.toSorted((a, b) => a.at - b.at)) byDay.set(dayNumber(sheet.at), sheet)
  return [...byDay.values()]
}

/** Facts in the order of the paths; empty if the layout does not have one. */
function orderFacts(facts: string[], paths: readonly string[], order: readonly number[]): string[] {
  if (order.length === paths.length && order.every((place, n) => place === n)) return facts
  const all = paths.map(() => '')
  for (const [n, place] of order.entries()) all[place] = facts[n]!
  return all
}

const dayNumber = (at: number): number => Math.floor(at / dayMs)

function begin({ before, after, own }: ReplayAsked) {
  const tables = new ReferenceTables(own)
  const part = emptyPart()
  const sides = [before, after].map((side) => sideOf(side, tables, (ruleId) => part.faulty.add(ruleId)))
  let type = ''
  let replayers: Replayer[] = []
  return {
    take(batch: SheetBatch) {
      if (batch.type !== type) {
        type = batch.type
        replayers = sides.map((side) => new Replayer(type, side).reading(batch.paths))
      }
      for (const text of batch.rows) {
        const row = JSON.parse(text) as Row
        const sheets = sheetsOf(row, batch)
        const [then, now] = replayers.map((one) => one.days(row[0], sheets))
        count(part, { account: row[0], uid: row[1], type, name: sheets.at(-1)?.resource.name ?? '' }, then!, now!)
      }
    },
    end: () => part,
  }
}

serve(begin)
