use super::Mark;
use crate::contract::Contract;
use crate::contract::read::MARK_END;

#[test]
fn every_mark_has_a_name_with_the_known_end() {
    for contract in Contract::ALL {
        let can_be_found = match &contract.spec().mark {
            Mark::Text { path, .. } => path.last().is_some_and(|it| it.ends_with(MARK_END)),
            Mark::Members(members) => members.required_names().any(|name| name.ends_with(MARK_END)),
            Mark::Missing => true,
        };
        assert!(can_be_found, "{contract}");
    }
}

#[test]
fn every_contract_spells_every_code() {
    for contract in Contract::ALL {
        for code in crate::Code::ALL {
            let spellings = (contract.spec().spellings)(*code);
            assert!(!spellings.is_empty(), "{contract} has no spelling for {code:?}");
            for spelling in spellings {
                assert_eq!((spelling.contract, spelling.code), (contract, *code));
            }
        }
    }
}
