/** Questions that are dear to answer are asked one after the other, in the order in which they were wished for. */
import { signal } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'

const waiting = signal<readonly object[]>([])

/** Whether it is this one's turn: from when it is wished for until it was answered. */
export function useTurn(isWanted: boolean, isAnswered: boolean): boolean {
  const [own] = useState(() => ({}))
  const isWaiting = isWanted && !isAnswered
  useEffect(() => {
    if (!isWaiting) return
    waiting.value = [...waiting.value, own]
    return () => {
      waiting.value = waiting.value.filter((one) => one !== own)
    }
  }, [isWaiting])
  return isWaiting && waiting.value[0] === own
}
