/** What an hour of a resource costs or saves: said before it is started, stopped, or kept so. */
import { exactUsd } from '../figure.ts'

export function priceText(verb: 'start' | 'stop', rate: number | null): string {
  if (rate === null) return 'Its hourly cost is unknown: no price was reported.'
  const price = `${exactUsd(rate)} an hour`
  return verb === 'stop'
    ? `Saves ${price} while off, at the price reported by its producer. Disks and addresses are still charged.`
    : `Costs ${price} while running, at the price reported by its producer.`
}
