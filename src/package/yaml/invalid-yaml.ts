import { PorticoError } from '../../error.ts';

/** Text that is not YAML for us. */
export class InvalidYaml extends PorticoError {
  /** 1-based. */
  readonly line: number;
  /** What is wrong there. */
  readonly what: string;
  /** Go's reader, which cluster tools have, takes it. */
  readonly isReadByOthers: boolean;

  constructor(line: number, what: string, isReadByOthers: boolean) {
    super('YAML_INVALID', `Line ${line}: ${what}`, {
      blame: 'user',
      hint: 'Fix the YAML. List templates that are not YAML in .krmignore, or give them another extension.',
    });
    this.line = line;
    this.what = what;
    this.isReadByOthers = isReadByOthers;
  }
}
