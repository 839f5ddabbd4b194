/** What an hour of a resource costs or saves: said before it is started, stopped, or kept so. */
import { exactUsd } from '../figure.ts'

export function priceText(verb: 'start' | 'stop', rate: number | null): string {
  if (rate === null) return 'What an hour of it costs is not known: nobody told its price.'
  const price = `${exactUsd(rate)} an hour`
  return verb === 'stop'
    ? `It saves ${price} while it is off, by the price its producer told; disks and addresses cost on.`
    : `It costs ${price} while it runs, by the price its producer told.`
}
