/**
 * Resolves when this process is asked to end: by the terminal, by its supervisor, or because its launcher is gone. Asked again,
 * as by who tells a process and its group, it goes on ending in order.
 */
export function stopRequest(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'disconnect'] as const) process.on(signal, () => resolve())
  })
}
