import { createInterface } from 'node:readline/promises'
import { UsageError } from './command.ts'

/** Asks at a terminal before something cannot be undone; elsewhere `--yes` is needed. @throws UsageError unless the answer is yes */
export async function requireConfirmation(question: string, isConfirmed: boolean): Promise<void> {
  if (isConfirmed) return
  if (!process.stdin.isTTY) throw new UsageError(`${question} Nothing was changed. Use --yes to confirm.`)
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  const answer = await terminal.question(`${question} [y/N] `).finally(() => terminal.close())
  if (!/^y(es)?$/i.test(answer.trim())) throw new UsageError('Nothing was changed.')
}
