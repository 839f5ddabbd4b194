/** The modules of a code as one path: each run of dark ones in a row is a piece, of one unit a module. */
export interface Modules {
  readonly size: number
  get: (x: number, y: number) => boolean
}

export function outlineOf(modules: Modules): string {
  const pieces: string[] = []
  for (let y = 0; y < modules.size; y++) {
    for (let x = 0; x < modules.size; x++) {
      const from = x
      while (x < modules.size && modules.get(x, y)) x++
      if (x > from) pieces.push(`M${from} ${y}h${x - from}v1h${from - x}z`)
    }
  }
  return pieces.join('')
}
