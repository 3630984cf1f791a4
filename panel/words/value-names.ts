import type { Node } from './read-children.ts';

/** Names a message's values for translators: after a variable, a field, a function or an element. */
export class ValueNames {
  readonly #code: string;
  readonly #taken = new Map<string, string>();

  constructor(code: string) {
    this.#code = code;
  }

  of(node: Node): string {
    const source = this.#code.slice(node.start, node.end);
    const wanted = plainName(node);
    let name = wanted;
    for (let count = 2; this.#taken.has(name) && this.#taken.get(name) !== source; count += 1)
      name = `${wanted}${count}`;
    this.#taken.set(name, source);
    return name;
  }
}

function plainName(node: Node): string {
  switch (node.type) {
    case 'Identifier':
    case 'JSXIdentifier':
      return node.name.charAt(0).toLowerCase() + node.name.slice(1);
    case 'JSXElement':
      return plainName(node.openingElement.name);
    case 'JSXMemberExpression':
    case 'MemberExpression':
      return plainName(node.property);
    case 'CallExpression': {
      const [first] = node.arguments;
      const inner = first ? plainName(first) : 'value';
      return inner === 'value' ? plainName(node.callee) : inner;
    }
    case 'ChainExpression':
    case 'ParenthesizedExpression':
    case 'TSNonNullExpression':
    case 'TSAsExpression':
      return plainName(node.expression);
    case 'LogicalExpression':
      return plainName(node.operator === '&&' ? node.right : node.left);
    case 'TemplateLiteral':
      return node.expressions[0] ? plainName(node.expressions[0]) : 'value';
    case 'BinaryExpression':
      return plainName(node.left);
    default:
      return 'value';
  }
}
